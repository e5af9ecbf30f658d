import { describeStoreContract } from "../../../../src/testing/contract/store.js";
import { openByWorker, storeBench } from "./bench.js";

describeStoreContract("sqlite, in a worker thread", storeBench(openByWorker), { runs: 5 });
