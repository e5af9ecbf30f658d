import { describeChannelContract } from "../../../src/testing/contract/channel.js";
import { openBench } from "./bench.js";

describeChannelContract("discord", () => openBench());
