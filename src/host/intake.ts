/**
 * The intake: every input of every channel comes through `take`. It finds out which question an input can meet, stores it before the
 * platform is told that it arrived (R22), and hands it to the judge. The channel decides nothing (B110).
 *
 * N1  One indexed look-up comes before the write; text that can meet no open question is stored by its identity alone.
 * N2  A repeat (same identity, or same alias within a minute) is acknowledged and changes nothing (R21).
 * N3  A control that opens a form stores nothing; the form's submission is the input.
 */

import { checkField } from "../core/answer.js";
import { claimText } from "../core/claim.js";
import { newResolutionId } from "../core/ids.js";
import type { Input, Press, Submit, Typed, Unreadable } from "../core/input.js";
import { opensForm, parseToken, type Token } from "../core/token.js";
import { HandraiseError, unreachable } from "../errors.js";
import type { Intake, Taken } from "../ports/channel.js";
import type { CopyOf, InputRow } from "../ports/store.js";
import type { Judge } from "./judge.js";
import { awaitedBy, lookUpText } from "./lookup.js";
import type { Outbox } from "./outbox.js";
import { type HostParts, inputRowId } from "./parts.js";
import { formView, REASON_KEY } from "./view.js";

type CopyToken = Extract<Token, { kind: "copy" }>;

const TAKEN: Taken = { kind: "taken" };

/** The intake every channel is opened with. `take` rejects with `store_unavailable` when the bridge is stopping or the store is lost. */
export class HostIntake implements Intake {
  readonly #parts: HostParts;
  readonly #judge: Judge;
  readonly #outbox: Outbox;
  readonly #closed = new Set<string>();
  #stopped = false;

  constructor(parts: HostParts, { judge, outbox }: { readonly judge: Judge; readonly outbox: Outbox }) {
    this.#parts = parts;
    this.#judge = judge;
    this.#outbox = outbox;
  }

  /** From now on nothing is taken: platforms are not told that an input arrived, and deliver it again where they do. */
  stop(): void {
    this.#stopped = true;
  }

  /** From now on nothing of this account is taken: it was removed from the config. */
  close(account: string): void {
    this.#closed.add(account);
  }

  take(input: Input): Promise<Taken> {
    const { account } = input;
    if (this.#closed.has(account))
      return Promise.reject(
        new HandraiseError("authority_stale", `The account ${account} was removed from the config.`, { facts: { account } }),
      );
    if (this.#stopped) return Promise.reject(new HandraiseError("store_unavailable", "The bridge is stopping: this input was not stored."));
    switch (input.kind) {
      case "press":
        return this.#press(input);
      case "submit":
        return this.#submit(input);
      case "text":
      case "unreadable":
        return this.#text(input);
      default:
        return unreachable(input);
    }
  }

  async moved({ account, from, to }: { readonly account: string; readonly from: string; readonly to: string }): Promise<void> {
    await this.#parts.store.commit([{ do: "move_conversation", account, from, to }]);
    this.#parts.log.info({ account }, "intake: a conversation got a new id");
  }

  async #press(input: Press): Promise<Taken> {
    const token = parseToken(input.token);
    if (token === undefined) return this.#word(this.#parts.phrases.words.notices.unknown());
    if (token.kind === "aside") return this.#aside(input, token.aside, token.choice);
    const found = await this.#parts.store.copy(token.copy);
    if (found === undefined) return this.#unknownCopy(token);
    if (token.control.kind === "page" || opensForm(token.control)) return this.#withoutStoring(input, { token, found });
    if (token.control.kind === "menu") return TAKEN;
    return this.#store(input, found);
  }

  async #unknownCopy({ copy }: CopyToken): Promise<Taken> {
    const stone = await this.#parts.store.tombstoneOfCopy(copy);
    this.#parts.log.debug({ copy, known: stone !== undefined }, "intake: a press on a prompt that is no longer kept");
    return this.#word(this.#parts.phrases.words.notices.unknown());
  }

  /** N3; a page is turned in the same way. Refusals come as the response itself. */
  async #withoutStoring(input: Press, { token, found }: { readonly token: CopyToken; readonly found: CopyOf }): Promise<Taken> {
    const refusal = await this.#judge.refusalOfPress(input, found);
    if (refusal !== undefined) return this.#word(refusal);
    if (token.control.kind === "page") {
      const { page } = token.control;
      await this.#outbox.apply(found.copy.id, () => ({ kind: "outdated" }), { also: { page } });
      return TAKEN;
    }
    return { kind: "form", form: formView({ question: found.question, token: input.token, control: token.control }, this.#parts.phrases) };
  }

  async #submit(input: Submit): Promise<Taken> {
    const token = parseToken(input.token);
    if (token?.kind !== "copy") return this.#word(this.#parts.phrases.words.notices.unknown());
    const found = await this.#parts.store.copy(token.copy);
    if (found === undefined) return this.#unknownCopy(token);
    const fields = found.question.status === "open" ? invalidFields(input, token, found) : [];
    return fields.length > 0 ? { kind: "invalid", fields } : this.#store(input, found);
  }

  async #text(input: Typed | Unreadable): Promise<Taken> {
    const candidates = await lookUpText(this.#parts, input); // N1
    const { replied } = candidates;
    if (input.kind === "unreadable") return replied === undefined ? this.#identityOnly(input) : this.#store(input, replied);
    const claim = claimText({ ...candidates.facts, text: input });
    const awaited = awaitedBy(claim, candidates);
    if (awaited !== undefined) return this.#store(input, awaited);
    if (claim.kind === "none") return this.#identityOnly(input);
    const copyId = claim.kind === "which" ? claim.copies[0] : claim.copy;
    const found = candidates.all.find(({ copy }) => copy.id === copyId);
    return found === undefined ? this.#identityOnly(input) : this.#store(input, found);
  }

  async #aside(input: Press, asideId: string, choice: "send" | "no" | number): Promise<Taken> {
    const aside = await this.#parts.store.aside(asideId);
    const { notices } = this.#parts.phrases.words;
    if (aside === undefined || aside.expiresAtMs <= this.#parts.clock.now()) return this.#word(notices.unknown());
    if (aside.account !== input.account || aside.userId !== input.sender.userId) return this.#word(notices.wrongPlace());
    const copyId = aside.copies[typeof choice === "number" ? choice : 0];
    const found = copyId === undefined ? undefined : await this.#parts.store.copy(copyId);
    if (found === undefined) return this.#word(notices.unknown());
    if (choice === "no") {
      await this.#parts.store.commit([{ do: "take_aside", id: asideId }]);
      return this.#word(notices.notSent());
    }
    return this.#store({ ...input, confirms: { aside: asideId, text: aside.text } }, found);
  }

  /** Stores an input that meets a question, then judges it; the judge's failure leaves the row for another look. */
  async #store(input: Input, found: CopyOf): Promise<Taken> {
    const { copy, question } = found;
    const row = this.#rowOf(input, { question: question.id, copy: copy.id });
    const result = await this.#parts.store.commit([{ do: "insert_input", row }]);
    if (result.ok) {
      this.#judge.begin(row, found);
      return TAKEN;
    }
    const known = await this.#parts.store.input(row.id);
    if (known !== undefined || input.handle === undefined) return TAKEN; // N2
    const word = this.#judge.wordOnRepeat(question, input.sender, input.account);
    return word === undefined ? TAKEN : this.#word(word);
  }

  async #identityOnly(input: Typed | Unreadable): Promise<Taken> {
    const row = { ...this.#rowOf(input, { question: null, copy: null }), input: null, state: "settled" as const, verdict: "not_ours" };
    const result = await this.#parts.store.commit([{ do: "insert_input", row }]);
    if (result.ok && input.kind === "text") this.#handOn(input);
    return TAKEN;
  }

  /** R25: in order, at most once; what the listener throws is its own. */
  #handOn(message: Typed): void {
    try {
      this.#parts.onMessage?.(message);
    } catch (error) {
      this.#parts.log.error({ account: message.account, error: String(error) }, "intake: onMessage threw");
    }
  }

  #rowOf(input: Input, { question, copy }: Pick<InputRow, "question" | "copy">): InputRow {
    return {
      id: inputRowId(input),
      alias: input.alias === undefined ? null : `${input.account}|${input.alias}`,
      question,
      copy,
      resolutionId: newResolutionId(this.#parts.random),
      input,
      receivedAtMs: this.#parts.clock.now(),
      state: "new",
      verdict: null,
      notice: null,
      noticeAccount: input.account,
      noticeDueAtMs: null,
      noticeAttempts: 0,
      submission: null,
    };
  }

  #word(text: string): Taken {
    return { kind: "word", text };
  }
}

/** R22: a modal's values are checked against the stored fields before it is closed. */
function invalidFields(
  input: Submit,
  { control }: CopyToken,
  { question }: CopyOf,
): readonly { readonly key: string; readonly message: string }[] {
  if (control.kind === "deny_why") {
    const reason = input.values[REASON_KEY]?.trim() ?? "";
    return reason === "" ? [{ key: REASON_KEY, message: "A reason is missing." }] : [];
  }
  return question.body.fields.flatMap((field) => {
    const text = input.values[field.key] ?? "";
    const checked = checkField(field, field.type === "choice" ? { other: text } : text);
    return "fault" in checked ? [{ key: field.key, message: checked.fault.message }] : [];
  });
}
