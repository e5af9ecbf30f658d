/** Structured logging as the rest takes it; the app wires pino. `facts` holds ids and numbers, never tokens or what a person wrote. */
export interface Log {
  debug(facts: Readonly<Record<string, unknown>>, message: string): void;
  info(facts: Readonly<Record<string, unknown>>, message: string): void;
  warn(facts: Readonly<Record<string, unknown>>, message: string): void;
  error(facts: Readonly<Record<string, unknown>>, message: string): void;
}
