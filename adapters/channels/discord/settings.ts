/** One Discord account of the config. Milliseconds are for tests and odd networks; their defaults are meant for everybody. */
import { z } from "zod";

const ms = (fallback: number) => z.int().min(1).max(600_000).default(fallback);
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** The token goes to this address, so it is either encrypted or does not leave the machine. */
function safe(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url !== undefined && (url.protocol === "https:" || LOOPBACK.has(url.hostname));
}

/** The account's settings, with their defaults; unknown keys are refused. */
export const discordSettingsSchema = z.strictObject({
  kind: z.literal("discord").optional(),
  token: z
    .string({ error: "the bot's token is missing" })
    .trim()
    .min(1, "the token is empty: copy it from the Developer Portal (Bot, Reset Token)"),
  /** Root of the API, without `/v10`. Default: Discord's own. */
  apiUrl: z.string().refine(safe, "give an https address, or one of this machine").optional(),
  /**
   * Ask for the privileged message content intent. Without it a typed reply in a server is readable only when it mentions the bot
   * (a reply with its ping on does). Buttons, menus, modals and direct messages need nothing. Default true.
   */
  messageContent: z.boolean().default(true),
  /** Look up `#names` in this server only. Default: every server the bot is in. */
  server: z
    .string()
    .regex(/^\d{17,20}$/, "a server id is 17 to 20 digits")
    .optional(),
  /** Longest wait for one API call. */
  requestTimeoutMs: ms(10_000),
  /** Longest that `open` waits for the gateway before it goes on in the background. */
  openTimeoutMs: ms(10_000),
  /** Longest wait for the gateway's first word on a new connection (B038). */
  helloTimeoutMs: ms(15_000),
  /** First and longest pause between two tries to connect; each is twice the one before (B048). */
  reconnectMinMs: ms(1_000),
  reconnectMaxMs: ms(60_000),
  /** A connection that held this long begins again with the first pause. */
  stableAfterMs: ms(30_000),
  /** The place in the event stream is stored this often at most. */
  storeEveryMs: ms(1_000),
  /** First and longest pause before a message that could not be stored is tried again. */
  storeRetryMinMs: ms(500),
  storeRetryMaxMs: ms(30_000),
});

/** See `discordSettingsSchema`. */
export type DiscordSettings = z.output<typeof discordSettingsSchema>;
