/**
 * `handraise/testing`: simulated Slack, Discord and Telegram with scripted people, for tests of what is built on Handraise.
 *
 * The contract suites for adapters need vitest and are therefore published apart, as `handraise/testing/contract`.
 */
export { RoamingPerson } from "./roaming-person.js";
export { DiscordSimulator, type DiscordSimulatorOptions } from "./sim/discord/simulator.js";
export { type Fault, Faults } from "./sim/faults.js";
export type {
  ChatKind,
  ChatSimulator,
  PressResult,
  SeenButton,
  SeenMessage,
  SeenModal,
  SimAccount,
  SimCall,
  SimPerson,
  SimPlace,
} from "./sim/simulator.js";
export { SlackSimulator, type SlackSimulatorOptions } from "./sim/slack/simulator.js";
export { TelegramSimulator, type TelegramSimulatorOptions } from "./sim/telegram/simulator.js";
export { type SimulatedConfig, type SimulateOptions, type Simulation, simulate } from "./simulate.js";
