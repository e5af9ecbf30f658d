import { describeChannelContract } from "../../../src/testing/contract/channel.js";
import { openTelegramBench } from "./bench.js";

describeChannelContract("telegram", () => openTelegramBench());
