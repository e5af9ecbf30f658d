/**
 * The gateway of the Discord simulator: one WebSocket at a time per session, events with sequence numbers, resume with replay.
 * Sources: discord-api-docs, "Gateway" (connection life cycle, resuming, heartbeats), "Opcodes and Status Codes" (gateway op and
 * close codes); platforms.md, sections 2.4 and 4.2.
 *
 * G1  Events are kept per session, also while its connection is down; a resume replays those after `seq`, then says RESUMED.
 * G2  A close by the client with 1000 or 1001 ends the session; so does `sessionLifeMs` without a connection. Then a resume gets
 *     op 9 with `false`.
 * G3  A client that misses its heartbeat is closed with 4009.
 */
import type { WebSocket } from "ws";
import { z } from "zod";
import { userPayload } from "./payloads.js";
import type { GatewaySnapshot } from "./snapshot.js";
import type { World } from "./world.js";

type Json = Readonly<Record<string, unknown>>;

/** Intents. Source: Gateway, "List of Intents"; MESSAGE_CONTENT is privileged. */
export const INTENTS = { guilds: 1, guildMessages: 1 << 9, directMessages: 1 << 12, messageContent: 1 << 15 } as const;
/** Close codes. Source: Opcodes and Status Codes, "Gateway Close Event Codes". */
const CLOSE = {
  unknownOpcode: 4001,
  decode: 4002,
  notAuthenticated: 4003,
  authentication: 4004,
  already: 4005,
  invalidSeq: 4007,
  timedOut: 4009,
  invalidIntents: 4013,
  disallowedIntents: 4014,
} as const;
/** All intents there are: bits 0 to 16, 20, 21, 24, 25. */
const INTENTS_ALL = 0x1ffff | (3 << 20) | (3 << 24);

const identify = z.object({
  token: z.string(),
  intents: z.int().min(0),
  properties: z.object({}),
  shard: z.tuple([z.int(), z.int()]).optional(),
});
const resume = z.object({ token: z.string(), session_id: z.string(), seq: z.int() });
const frame = z.object({ op: z.int(), d: z.unknown().optional() });

type Kept = { readonly s: number; readonly t: string; readonly d: Json };
type Session = {
  readonly id: string;
  readonly intents: number;
  seq: number;
  readonly events: Kept[];
  socket: WebSocket | undefined;
  droppedAtMs: number | undefined;
};

/** An event, written for one session: intents decide whether it gets it and with which content. */
export type Event = { readonly t: string; readonly needs: number; readonly d: (rule: { readonly withContent: boolean }) => Json };

/** What the gateway is made from. */
export type GatewayRules = {
  readonly world: World;
  readonly url: () => string;
  readonly token: () => string | undefined;
  /** Is the message content intent switched on in the developer portal? */
  readonly contentAllowed: () => boolean;
  readonly heartbeatMs: number;
  readonly sessionLifeMs: number;
  readonly guildCreate: () => Json;
  /** Tells of IDENTIFY and RESUME. */
  readonly log: (method: string, body: Json, outcome: string) => void;
};

/** All sessions and connections of the one bot. */
export class Gateway {
  readonly #rules: GatewayRules;
  readonly #sessions: Session[] = [];
  readonly #sockets = new Set<WebSocket>();
  #last: { readonly session: Session; readonly event: Kept } | undefined;
  /** Accepts connections and says nothing at all (B038). */
  mute = false;
  /** Says hello and acknowledges heartbeats, but answers neither IDENTIFY nor RESUME. */
  stalled = false;
  /** Reads heartbeats but does not acknowledge them: a zombie connection. */
  deaf = false;

  constructor(rules: GatewayRules) {
    this.#rules = rules;
  }

  /** Open sockets. */
  get sockets(): number {
    return this.#sockets.size;
  }

  /** Sessions that have a live connection. */
  get live(): number {
    return this.#sessions.filter(({ socket }) => socket !== undefined).length;
  }

  accept(socket: WebSocket): void {
    this.#sockets.add(socket);
    const link: { session: Session | undefined; beatAtMs: number } = { session: undefined, beatAtMs: Date.now() };
    const { heartbeatMs } = this.#rules;
    const watch = setInterval(() => {
      // G3: half an interval of grace.
      if (!this.mute && Date.now() - link.beatAtMs > heartbeatMs * 1.5) socket.close(CLOSE.timedOut, "Session timed out.");
    }, heartbeatMs);
    watch.unref();
    socket.on("message", (data) => {
      if (this.mute) return;
      const parsed = frame.safeParse(parseJson(data.toString("utf8")));
      if (!parsed.success) return socket.close(CLOSE.decode, "Error while decoding payload.");
      if (parsed.data.op === 1) link.beatAtMs = Date.now();
      link.session = this.#receive(socket, parsed.data, link.session) ?? link.session;
    });
    socket.on("close", (code) => {
      clearInterval(watch);
      this.#sockets.delete(socket);
      this.#dropped(socket, code);
    });
    socket.on("error", () => socket.terminate());
    if (!this.mute) send(socket, { op: 10, d: { heartbeat_interval: heartbeatMs } });
  }

  #dropped(socket: WebSocket, code: number): void {
    const session = this.#sessions.find((one) => one.socket === socket);
    if (session === undefined) return;
    session.socket = undefined;
    session.droppedAtMs = this.#rules.world.now();
    if (code === 1000 || code === 1001) this.#sessions.splice(this.#sessions.indexOf(session), 1); // G2
  }

  #receive(socket: WebSocket, { op, d }: z.output<typeof frame>, session: Session | undefined): Session | undefined {
    switch (op) {
      case 1:
        if (!this.deaf) send(socket, { op: 11 });
        return undefined;
      case 2:
        if (this.stalled) return undefined;
        if (session !== undefined) return refuse(socket, CLOSE.already);
        return this.#identify(socket, d);
      case 6:
        if (this.stalled) return undefined;
        if (session !== undefined) return refuse(socket, CLOSE.already);
        return this.#resume(socket, d);
      case 3:
      case 4:
      case 8:
        return session === undefined ? refuse(socket, CLOSE.notAuthenticated) : undefined;
      default:
        return refuse(socket, CLOSE.unknownOpcode);
    }
  }

  #identify(socket: WebSocket, d: unknown): Session | undefined {
    const parsed = identify.safeParse(d);
    if (!parsed.success) return refuse(socket, CLOSE.decode);
    const { token, intents } = parsed.data;
    const { world, log } = this.#rules;
    const fail = (code: number): undefined => {
      log("gateway IDENTIFY", { intents }, String(code));
      return refuse(socket, code);
    };
    if (token !== this.#rules.token()) return fail(CLOSE.authentication);
    if ((intents & ~INTENTS_ALL) !== 0) return fail(CLOSE.invalidIntents);
    if ((intents & INTENTS.messageContent) !== 0 && !this.#rules.contentAllowed()) return fail(CLOSE.disallowedIntents);
    const session: Session = { id: `session-${world.ids.next()}`, intents, seq: 0, events: [], socket, droppedAtMs: undefined };
    this.#sessions.push(session);
    log("gateway IDENTIFY", { intents }, "ok");
    const ready = {
      v: 10,
      user: userPayload(world.bot),
      guilds: [{ id: world.guild.id, unavailable: true }],
      session_id: session.id,
      resume_gateway_url: this.#rules.url(),
      shard: [0, 1],
      application: { id: world.applicationId, flags: this.#rules.contentAllowed() ? 1 << 19 : 0 },
    };
    this.#emit(session, "READY", ready);
    if ((intents & INTENTS.guilds) !== 0) this.#emit(session, "GUILD_CREATE", this.#rules.guildCreate());
    return session;
  }

  #resume(socket: WebSocket, d: unknown): Session | undefined {
    const parsed = resume.safeParse(d);
    if (!parsed.success) return refuse(socket, CLOSE.decode);
    const { token, session_id, seq } = parsed.data;
    const { log, world, sessionLifeMs } = this.#rules;
    if (token !== this.#rules.token()) return refuse(socket, CLOSE.authentication);
    const session = this.#sessions.find(({ id }) => id === session_id);
    const expired = session?.droppedAtMs !== undefined && world.now() - session.droppedAtMs > sessionLifeMs;
    if (session === undefined || expired) {
      log("gateway RESUME", { session_id, seq }, "invalid session");
      send(socket, { op: 9, d: false });
      return undefined;
    }
    if (seq > session.seq) return refuse(socket, CLOSE.invalidSeq);
    session.socket?.terminate();
    session.socket = socket;
    session.droppedAtMs = undefined;
    log("gateway RESUME", { session_id, seq }, "ok");
    for (const event of session.events) if (event.s > seq) send(socket, { op: 0, ...event }); // G1
    this.#emit(session, "RESUMED", {});
    return session;
  }

  #emit(session: Session, t: string, d: Json): void {
    session.seq += 1;
    const event = { s: session.seq, t, d };
    session.events.push(event);
    if (t !== "READY" && t !== "RESUMED" && t !== "GUILD_CREATE") this.#last = { session, event };
    // Whoever keeps a snapshot learns of the number before the bot does.
    this.#rules.world.changed();
    if (session.socket !== undefined) send(session.socket, { op: 0, ...event });
  }

  /** What can be started again from: the sessions, each with its last `events`. */
  snapshot(events: number): GatewaySnapshot {
    return this.#sessions.map((session) => ({
      ...{ id: session.id, intents: session.intents, seq: session.seq },
      events: session.events.slice(-events).map(({ s, t, d }) => ({ s, t, d: { ...d } })),
    }));
  }

  /** Takes over sessions of an earlier life, which have no connection now. */
  restore(sessions: GatewaySnapshot): void {
    for (const session of sessions) this.#sessions.push({ ...session, socket: undefined, droppedAtMs: this.#rules.world.now() });
  }

  /** Gives an event to every session that asked for it; those without a connection get it when they resume. */
  dispatch({ t, needs, d }: Event): void {
    for (const session of [...this.#sessions]) {
      if ((session.intents & needs) !== needs) continue;
      this.#emit(session, t, d({ withContent: (session.intents & INTENTS.messageContent) !== 0 }));
    }
  }

  /** Sends the last event once more, byte for byte, with its own sequence number. */
  redeliverLast(): void {
    if (this.#last === undefined) throw new Error("nothing was delivered yet");
    const { session, event } = this.#last;
    if (session.socket === undefined) throw new Error("the bot has no connection");
    send(session.socket, { op: 0, ...event });
  }

  /** Sends a frame of the test's own to every connection, well-formed or not. */
  sendRaw(payload: unknown): void {
    for (const { socket } of this.#sessions) if (socket !== undefined) send(socket, payload);
  }

  /** Gives every session an event of the test's own, with a sequence number. */
  dispatchRaw(t: string, d: Json): void {
    for (const session of [...this.#sessions]) this.#emit(session, t, d);
  }

  /** Closes every connection with a close code; the sessions stay unless `endSessions`. */
  closeAll(code: number, { endSessions = false } = {}): void {
    if (endSessions) this.endSessions();
    for (const socket of [...this.#sockets]) socket.close(code);
  }

  /** Forgets every session: the next resume is refused. */
  endSessions(): void {
    this.#sessions.splice(0);
  }

  /** Cuts every connection without a farewell: the client sees 1006. */
  cut(): void {
    for (const socket of [...this.#sockets]) socket.terminate();
  }
}

function refuse(socket: WebSocket, code: number): undefined {
  socket.close(code);
  return undefined;
}

function send(socket: WebSocket, payload: unknown): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(payload));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
