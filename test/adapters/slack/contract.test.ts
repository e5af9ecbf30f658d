import { describeChannelContract } from "../../../src/testing/contract/channel.js";
import { slackBench } from "./bench.js";

describeChannelContract("slack, Socket Mode", () => slackBench());
describeChannelContract("slack, HTTP mode", () => slackBench({ simulator: { mode: "http" } }));
