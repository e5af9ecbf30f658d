/**
 * One-line faults in the product, each against a rule. The torture shows by them that it can fail: each is found by random histories or
 * races within a minute (mutations.torture.ts). A `from` that does not stand exactly once in its file fails the run: the list follows
 * the product.
 */

/** One fault: in `file`, `from` becomes `to`; `what` it makes of the product. */
export type Mutation = { readonly rule: string; readonly what: string; readonly file: string; readonly from: string; readonly to: string };

/** Paths are the repository's. */
export const MUTATIONS: readonly Mutation[] = [
  {
    rule: "R2",
    what: "an answer at the very deadline counts",
    file: "adapters/stores/sqlite/statements.ts",
    from: 'late: "(expires_at is null or ?1 < expires_at)"',
    to: 'late: "(expires_at is null or ?1 <= expires_at)"',
  },
  {
    rule: "R2",
    what: "expiry does not wait for an older input",
    file: "adapters/stores/sqlite/statements.ts",
    from: "or not exists (select 1 from inputs i where i.question = questions.id and i.state = 'new'",
    to: "or not exists (select 1 from inputs i where i.question = questions.id and i.state = 'none'",
  },
  {
    rule: "R4",
    what: "nobody who waits is woken",
    file: "src/gateway/signals.ts",
    from: "this.waiters.wake(question.id, ended);",
    to: "",
  },
  {
    rule: "R7",
    what: "a key names whatever was asked under it",
    file: "src/gateway/gateway.ts",
    from: "if (known.digest === row.digest) return known;",
    to: "return known;",
  },
  {
    rule: "R8",
    what: "the time never starts",
    file: "adapters/stores/sqlite/statements.ts",
    from: "expires_at = case when expires_at is null and timeout is not null then ?2 + timeout else expires_at end",
    to: "expires_at = case when ?2 is null then timeout else expires_at end",
  },
  {
    rule: "R12",
    what: "anybody may answer",
    file: "src/runs/directory.ts",
    from: 'const allowed = audience.kind === "anyone" || (person !== undefined && audience.people.includes(person));',
    to: 'const allowed = audience.kind === "anyone" || audience.people.length > 0;',
  },
  {
    rule: "R17",
    what: "inputs of an earlier life are forgotten",
    file: "src/host/host.ts",
    from: "const rows = await this.#parts.store.unsettledInputs(SLICE);",
    to: "const rows = (await this.#parts.store.unsettledInputs(SLICE)).slice(0, 0);",
  },
  {
    rule: "R21",
    what: "a repeat of a press is a press of its own",
    file: "src/host/parts.ts",
    from: "export function inputRowId(input: Input): string {",
    to: 'export function inputRowId(input: Input): string {\n  if (input.kind === "press") return String(performance.now());',
  },
  {
    rule: "R22",
    what: "an input is acknowledged before it is stored",
    file: "src/host/intake.ts",
    from: 'const result = await this.#parts.store.commit([{ do: "insert_input", row }]);\n    if (result.ok) {',
    to: 'const result = { ok: row !== undefined };\n    setTimeout(() => void this.#parts.store.commit([{ do: "insert_input", row }]).then(() => this.#judge.begin(row)), 5);\n    if (result.ok) return TAKEN;\n    if (result.ok) {',
  },
  {
    rule: "R23",
    what: "a prompt is sent before its claim is stored",
    file: "src/host/outbox.ts",
    from: "const claimed = await this.#claim(copy, place);",
    to: 'const claimed: CopyRow = { ...copy, state: "sending", nonce: "n" };\n    setTimeout(() => void this.#claim(copy, place), 5);',
  },
  {
    rule: "R23",
    what: "a lost send is repeated as often as it is lost",
    file: "src/core/delivery.ts",
    from: 'effects: open && !copy.repeated ? ["repeat"] : [] }; // D2',
    to: 'effects: open ? ["repeat"] : [] };',
  },
  {
    rule: "R24",
    what: "a token counts in whatever chat it is pressed",
    file: "src/host/judge.ts",
    from: "if (!(await this.#onItsMessage(input, found))) return phrases.words.notices.wrongPlace();",
    to: "",
  },
  {
    rule: "R25",
    what: "prose that contains an option is that option",
    file: "src/core/reply.ts",
    from: "(label) => label.trim() === raw,",
    to: "(label) => raw.includes(label.trim()),",
  },
  {
    rule: "R26",
    what: "copies stay open after the end",
    file: "src/core/delivery.ts",
    from: 'shown: { state: "shown", todo: "close" },',
    to: 'shown: { state: "shown", todo: null },',
  },
  {
    rule: "R33",
    what: "what was being sent when the bridge died is left",
    file: "src/host/host.ts",
    from: "await this.#reconcile();\n    await this.#openChannels();",
    to: "await this.#openChannels();",
  },
];
