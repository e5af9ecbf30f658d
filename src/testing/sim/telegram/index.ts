/** The Telegram simulator's door. */
export { TelegramPerson } from "./person.js";
export { TelegramSimulator, type TelegramSimulatorOptions } from "./simulator.js";
