import { describeStoreContract } from "../../../../src/testing/contract/store.js";
import { openInline, storeBench } from "./bench.js";

describeStoreContract("sqlite, inline", storeBench(openInline), { runs: 100 });
