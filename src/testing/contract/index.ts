/**
 * `handraise/testing/contract`: the suites that an adapter of one's own must pass. They call vitest's `describe` and `it`, so this path
 * needs vitest beside it; the simulators (`handraise/testing`) do not.
 */
export { type BenchPlace, type ChannelBench, MapMemory, machineClock, RecordingIntake, RecordingLog } from "./bench.js";
export { describeChannelContract } from "./channel.js";
export { type DispatcherBench, describeDispatcherContract, type OpenDispatcherBench } from "./dispatcher.js";
export { describeStoreContract } from "./store.js";
export type { OpenBench, StoreBench } from "./store-bench.js";
