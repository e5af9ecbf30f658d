/**
 * The judge: takes a stored input to its end, exactly once. Runs right after the input was stored, and again at start for every row
 * left unsettled (R17, R33): it reads everything anew, so running it twice cannot count twice.
 *
 *   row ──allowed? right message? open? readable?──► gateway.resolve ──receipt──► settled, with a private word
 *              └────────── no: settled with a refusal, a hint or what is true by now
 *
 * J1  Who is not of the audience reads only "not for you", whatever the state (R26).
 * J2  A press counts only on the message its token was made for; a copy whose send was lost takes that message over (R24).
 * J3  What fits nothing gets one hint per person, question and minute, and changes nothing (R25).
 * J4  A text that may answer a prompt whose send is not settled yet stays unsettled until it is, or until its question has ended.
 * J5  From here to its fate an input carries its source's token; one that ends before the dispatch is refused, and nothing is sent (R16).
 */
import type { Given } from "../core/answer.js";
import { claimText } from "../core/claim.js";
import { randomBase32 } from "../core/ids.js";
import type { Input, MessageRef, Press, Sender, Submit, Typed, Unreadable } from "../core/input.js";
import type { Via } from "../core/outcome.js";
import { formatPlace } from "../core/place.js";
import type { Receipt } from "../core/record.js";
import { formatAsideToken } from "../core/token.js";
import { HandraiseError, unreachable } from "../errors.js";
import type { NoticeOrder } from "../ports/channel.js";
import type { Submission } from "../ports/gateway.js";
import type { AsideRow, Change, CopyOf, InputRow, QuestionRow } from "../ports/store.js";
import { givenByForm, givenByPress, spokenValues } from "./given.js";
import { awaitedBy, lookUpText, NotYet } from "./lookup.js";
import { noticeFor } from "./notice-order.js";
import type { Notices } from "./notices.js";
import type { Outbox } from "./outbox.js";
import type { HostParts } from "./parts.js";
import { expectationOf, readFor } from "./reading.js";
import { submitted } from "./submitted.js";

const RETRY_MS = 1_000;
/** Pause before it is looked again whether a copy's fate is known (J4). */
const AWAIT_MS = 100;
const HINT_EVERY_MS = 60_000;
const HINTS_KEPT = 10_000;
/** How long a text shown back, or waiting for "which one?", can be pressed (R34). */
const ASIDE_MS = 600_000;

/** How an input ends when it is not submitted: a verdict for the record, a private word, further changes. */
type Ending = { readonly verdict: string; readonly notice: NoticeOrder | null; readonly changes?: readonly Change[] };
type Submitting = { readonly given: Given; readonly via: Via; readonly alongside?: readonly Change[] };

/** Judges stored inputs, several at once; the store's conditions keep each from counting twice. */
export class Judge {
  readonly #parts: HostParts;
  readonly #outbox: Outbox;
  readonly #notices: Notices;
  readonly #underway = new Set<Promise<void>>();
  readonly #hinted = new Map<string, number>();
  #stopped = false;

  constructor(parts: HostParts, { outbox, notices }: { readonly outbox: Outbox; readonly notices: Notices }) {
    this.#parts = parts;
    this.#outbox = outbox;
    this.#notices = notices;
  }

  /** Judges a row that was just stored; a failure of the store is tried again until it works or the host stops. */
  begin(row: InputRow, found?: CopyOf): void {
    const run: Promise<void> = this.settle(row, found)
      .catch((error: unknown) => {
        const waits = error instanceof NotYet;
        if (!waits)
          this.#parts.log.error({ input: row.id, error: String(error) }, "judge: an input could not be settled; it is tried again");
        this.#parts.clock.after(waits ? AWAIT_MS : RETRY_MS, () => {
          if (!this.#stopped) this.begin(row);
        });
      })
      .finally(() => this.#underway.delete(run));
    this.#underway.add(run);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#underway);
  }

  /**
   * Takes one unsettled input to its end.
   * @param known The copy and question as read just before the row was stored; the compare-and-set decides over anything newer.
   * @throws `store_unavailable`, `NotYet`: the row is still unsettled.
   */
  async settle(row: InputRow, known?: CopyOf): Promise<void> {
    const { input } = row;
    const found = known ?? (row.copy === null ? undefined : await this.#parts.store.copy(row.copy));
    if (input === null || found === undefined) {
      const notice = input === null ? null : noticeFor(input, { text: this.#parts.phrases.words.notices.unknown(), tone: "alert" });
      return this.#end(row, { verdict: "question_unknown", notice });
    }
    switch (input.kind) {
      case "press":
        return this.#press(row, input, found);
      case "submit":
        return this.#submit(row, input, found);
      case "text":
        return this.#text(row, input, found);
      case "unreadable":
        return this.#unreadable(row, input, found);
      default:
        return unreachable(input);
    }
  }

  /** Why this press on a control that stores nothing (a form, a page) is refused; undefined when it is fine. */
  async refusalOfPress(input: Press, found: CopyOf): Promise<string | undefined> {
    const { phrases } = this.#parts;
    if (!this.#allowed(found.question, input)) return phrases.notYou(found.question);
    if (!(await this.#onItsMessage(input, found))) return phrases.words.notices.wrongPlace();
    return found.question.status === "open" ? undefined : this.#lateWord(found.question, input);
  }

  /** What a repeat of a press within a minute reads (Telegram spins until it reads something). */
  wordOnRepeat(question: QuestionRow, sender: Sender, account: string): string | undefined {
    if (question.status === "open") return undefined;
    return this.#lateWord(question, { sender, account });
  }

  async #press(row: InputRow, input: Press, found: CopyOf): Promise<void> {
    const refusal = input.confirms === undefined ? await this.refusalOfPress(input, found) : this.#refusalOf(found.question, input);
    if (refusal !== undefined) return this.#end(row, this.#refused(input, found, refusal));
    if (input.confirms !== undefined) {
      const taking: Change = { do: "take_aside", id: input.confirms.aside };
      return this.#read(row, input, { found, text: input.confirms.text, loose: false, alongside: [taking], via: "text" });
    }
    const given = givenByPress(input.token, found.question);
    if (given === undefined)
      return this.#end(row, { verdict: "question_unknown", notice: this.#alert(input, this.#parts.phrases.words.notices.unknown()) });
    return this.#give(row, input, found, { given, via: input.from === "menu" ? "menu" : "button" });
  }

  #refusalOf(question: QuestionRow, input: Input): string | undefined {
    if (!this.#allowed(question, input)) return this.#parts.phrases.notYou(question);
    return question.status === "open" ? undefined : this.#lateWord(question, input);
  }

  async #submit(row: InputRow, input: Submit, found: CopyOf): Promise<void> {
    const elsewhere = found.copy.account === input.account ? undefined : this.#parts.phrases.words.notices.wrongPlace();
    const refusal = elsewhere ?? this.#refusalOf(found.question, input);
    if (refusal !== undefined) return this.#end(row, this.#refused(input, found, refusal));
    return this.#give(row, input, found, { given: givenByForm(input, found.question), via: "modal" });
  }

  async #text(row: InputRow, input: Typed, stored: CopyOf): Promise<void> {
    const { phrases } = this.#parts;
    const lookup = await lookUpText(this.#parts, input);
    const claim = claimText({ ...lookup.facts, text: input });
    if (awaitedBy(claim, lookup) !== undefined) throw new NotYet("the send of a prompt is not settled");
    if (lookup.replied !== undefined && input.answers !== undefined) await this.#takesOver(lookup.replied, input.answers.message, input);
    if (claim.kind === "none") {
      // What it met when it was stored has ended since.
      const refusal = this.#refusalOf(stored.question, input);
      return this.#end(row, refusal === undefined ? { verdict: "not_ours", notice: null } : this.#refused(input, stored, refusal));
    }
    const byId = (id: string | undefined): CopyOf => lookup.all.find(({ copy }) => copy.id === id) ?? stored;
    if (claim.kind === "which") return this.#which(row, input, claim.copies.map(byId));
    const found = byId(claim.copy);
    if (claim.kind === "not_yours") return this.#end(row, this.#refused(input, found, phrases.notYou(found.question)));
    if (claim.kind === "ended") return this.#end(row, this.#refused(input, found, this.#lateWord(found.question, input)));
    return this.#read(row, input, { found, text: input.text, loose: claim.loose, via: "text" });
  }

  async #read(
    row: InputRow,
    input: Typed | Press,
    {
      found,
      text,
      loose,
      alongside = [],
      via,
    }: {
      readonly found: CopyOf;
      readonly text: string;
      readonly loose: boolean;
      readonly alongside?: readonly Change[];
      readonly via: Via;
    },
  ): Promise<void> {
    const { phrases } = this.#parts;
    const { question } = found;
    const { notices } = phrases.words;
    if (question.principal === "") return this.#end(row, this.#hint(input, question, "controls_only", notices.controlsOnly())); // R15
    const meaning = readFor(question, { text, loose }, phrases.words);
    switch (meaning.kind) {
      case "give":
        return this.#give(row, input, found, { given: meaning.given, via, alongside });
      case "help":
        return this.#end(row, {
          verdict: "help",
          notice: noticeFor(input, { text: notices.help(expectationOf(question.body, phrases.words)), tone: "calm" }),
        });
      case "hint": {
        const misread = {
          hint: meaning.hint,
          reply: text,
          expectation: expectationOf(question.body, phrases.words),
          controls: "buttons" as const,
        };
        return this.#end(row, this.#hint(input, question, meaning.hint.code, notices.hint(misread)));
      }
      case "show_back":
        return this.#aside(row, input, { kind: "confirm", copies: [found], text, words: notices.shownBack({ reply: meaning.text }) });
      default:
        return unreachable(meaning);
    }
  }

  /** R24: two candidates. Asked only when the text can be an answer to one of them; prose gets one hint. */
  async #which(row: InputRow, input: Typed, candidates: readonly CopyOf[]): Promise<void> {
    const { phrases } = this.#parts;
    const readable = candidates.filter(
      ({ question }) => readFor(question, { text: input.text, loose: false }, phrases.words).kind === "give",
    );
    const [first] = candidates;
    if (first === undefined) return this.#end(row, { verdict: "not_ours", notice: null });
    if (readable.length === 0) return this.#read(row, input, { found: first, text: input.text, loose: true, via: "text" });
    const words = phrases.words.notices.whichQuestion({ count: candidates.length, reply: input.text });
    return this.#aside(row, input, { kind: "which", copies: candidates, text: input.text, words });
  }

  async #aside(
    row: InputRow,
    input: Typed | Press,
    aside: { readonly kind: AsideRow["kind"]; readonly copies: readonly CopyOf[]; readonly text: string; readonly words: string },
  ): Promise<void> {
    const id = randomBase32(this.#parts.random, 26);
    const { controls } = this.#parts.phrases.words;
    const copies = aside.copies.slice(0, 10);
    const buttons =
      aside.kind === "confirm"
        ? [
            { token: formatAsideToken(id, "send"), label: controls.send },
            { token: formatAsideToken(id, "no"), label: controls.no },
          ]
        : copies.map(({ question }, index) => ({
            token: formatAsideToken(id, index),
            label: controls.question({ code: question.code, title: question.body.title ?? question.body.text }),
          }));
    const kept: Change = {
      do: "insert_aside",
      row: {
        id,
        account: input.account,
        conversation: input.conversation,
        userId: input.sender.userId,
        text: aside.text,
        kind: aside.kind,
        copies: copies.map(({ copy }) => copy.id),
        expiresAtMs: this.#parts.clock.now() + ASIDE_MS,
      },
    };
    return this.#end(row, {
      verdict: `asked_${aside.kind}`,
      notice: noticeFor(input, { text: aside.words, tone: "calm", buttons }),
      changes: [kept],
    });
  }

  async #unreadable(row: InputRow, input: Unreadable, found: CopyOf): Promise<void> {
    const { notices } = this.#parts.phrases.words;
    if (found.question.status !== "open" || (input.why !== "anonymous" && !this.#allowed(found.question, input))) {
      return this.#end(row, { verdict: "not_an_answer", notice: null });
    }
    const bot = this.#parts.channels.get(input.account)?.botName ?? "";
    const words = {
      media: notices.media(),
      forwarded: notices.forwarded(),
      anonymous: notices.anonymous(),
      empty: notices.emptyMessage({ bot }),
    };
    return this.#end(row, this.#hint(input, found.question, input.why, words[input.why]));
  }

  async #give(row: InputRow, input: Input, found: CopyOf, { given, via, alongside = [] }: Submitting): Promise<void> {
    const { question } = found;
    const { phrases, sources } = this.#parts;
    const answer = phrases.answer(question, { decision: given.decision ?? "answer", values: spokenValues(question, given) });
    const notice = noticeFor(input, { text: phrases.words.notices.taken(answer), tone: "calm" });
    const { account, channel, conversation, thread, sender } = input;
    const source = sources.tokenFor({ account, userId: sender.userId, audience: question.body.audience, question: question.id });
    const submission: Submission = {
      question: question.id,
      resolutionId: row.resolutionId,
      ...given,
      via,
      receivedAtMs: row.receivedAtMs,
      alongside,
      actor: { account, channel, userId: sender.userId, name: sender.name },
      place: formatPlace({ account, conversation, ...(thread === undefined ? {} : { thread }) }),
      input: { id: row.id, account, notice },
      event: row.id,
      known: question,
    };
    const receipt = await submitted(this.#parts.calls, submission, source);
    if (receipt === undefined) return this.#end(row, this.#refused(input, found, phrases.notYou(question)));
    if (receipt.status === "committed") this.#notices.say({ id: row.id, noticeAccount: account, noticeAttempts: 0, notice });
    else await this.#notCommitted(row, input, found, receipt);
  }

  async #notCommitted(row: InputRow, input: Input, { question, copy }: CopyOf, receipt: Receipt): Promise<void> {
    const now = (await this.#parts.store.question(question.id)) ?? question;
    const { phrases } = this.#parts;
    switch (receipt.status) {
      case "committed":
      case "already_yours":
      case "unconfirmed":
        return; // Settled with the answer, by this run or another one.
      case "already_answered":
      case "closed":
        return this.#end(row, this.#refused(input, { question: now, copy }, this.#lateWord(now, input)));
      case "refused":
        if (receipt.code === "not_allowed") return this.#end(row, this.#refused(input, { question: now, copy }, phrases.notYou(now)));
        if (receipt.code === "store_unavailable") throw new HandraiseError("store_unavailable", `Input ${row.id} could not be settled.`);
        return this.#end(row, {
          verdict: receipt.code,
          notice: this.#alert(input, receipt.issues[0]?.message ?? phrases.words.notices.unknown()),
        });
      default:
        return unreachable(receipt);
    }
  }

  #allowed({ body }: QuestionRow, { account, sender }: { readonly account: string; readonly sender: Sender }): boolean {
    return this.#parts.directory.judge(body.audience, { account, userId: sender.userId }).allowed;
  }

  /** J2 */
  async #onItsMessage(input: Press, found: CopyOf): Promise<boolean> {
    const { account, conversation } = found.copy;
    if (account !== input.account || (conversation !== null && conversation !== input.conversation)) return false;
    return this.#takesOver(found, input.message, input);
  }

  /** Is it the copy's message? One that was lost is taken over, which may also close it (D4, D5). */
  async #takesOver({ copy }: CopyOf, message: MessageRef, { conversation }: Input): Promise<boolean> {
    if (copy.messageIds.includes(message.id)) return true;
    if (copy.state !== "sending" && copy.state !== "unknown" && copy.state !== "pending") return false;
    await this.#outbox.apply(copy.id, () => ({ kind: "pressed", message }), { also: { conversation } });
    return true;
  }

  /** What is true by now, to a person of the audience. */
  #lateWord(question: QuestionRow, { sender, account }: { readonly sender: Sender; readonly account: string }): string {
    const { outcome } = question;
    const { phrases } = this.#parts;
    if (outcome === null) return phrases.overdue(question);
    const mine = "by" in outcome && outcome.by.account === account && outcome.by.userId === sender.userId;
    return mine ? phrases.alreadyYours(question) : phrases.late(question);
  }

  #refused(input: Input, { question }: CopyOf, text: string): Ending {
    const by = { account: input.account, userId: input.sender.userId, channel: input.channel };
    const code = this.#allowed(question, input) ? "question_settled" : "not_allowed";
    const event: Change = {
      do: "insert_event",
      question: question.id,
      type: "input.refused",
      atMs: this.#parts.clock.now(),
      data: { by, code },
    };
    return { verdict: code, notice: this.#alert(input, text), changes: [event] };
  }

  #alert(input: Input, text: string): NoticeOrder {
    return noticeFor(input, { text, tone: "alert" });
  }

  /** J3. */
  #hint(input: Input, question: QuestionRow, verdict: string, text: string): Ending {
    const key = `${question.id}|${input.account}|${input.sender.userId}`;
    const nowMs = this.#parts.clock.now();
    const lastMs = this.#hinted.get(key);
    if (lastMs !== undefined && nowMs - lastMs < HINT_EVERY_MS && nowMs >= lastMs) return { verdict, notice: null };
    if (this.#hinted.size >= HINTS_KEPT) this.#hinted.clear();
    this.#hinted.set(key, nowMs);
    return { verdict, notice: this.#alert(input, text) };
  }

  async #end(row: InputRow, { verdict, notice, changes = [] }: Ending): Promise<void> {
    const nowMs = this.#parts.clock.now();
    const result = await this.#parts.store.commit([
      { do: "settle_input", id: row.id, verdict, notice, noticeDueAtMs: notice === null ? null : nowMs },
      ...changes,
    ]);
    if (result.ok && notice !== null) this.#notices.say({ id: row.id, noticeAccount: row.noticeAccount, noticeAttempts: 0, notice });
    if (result.ok && changes.length > 0) this.#parts.signals.events();
  }
}
