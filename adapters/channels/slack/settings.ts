/** The settings of an account of kind slack. */
import { z } from "zod";

const ms = z.int().min(1).max(3_600_000);

/**
 * An account of kind slack. One account is one workspace with one bot token (B088).
 *
 * `appToken` (Socket Mode) or `signingSecret` (HTTP mode), exactly one. `apiUrl`: root of the Web API, for simulators; default
 * Slack's own. Times in milliseconds, for tests: `requestTimeoutMs` 15,000; `saveTimeoutMs` 2,000; `helloTimeoutMs` 10,000;
 * `pingTimeoutMs` 45,000; `reconnectMinMs` 500; `reconnectMaxMs` 30,000; `stableMs` 60,000; `closeGraceMs` 5,000.
 */
export const slackSettings = z
  .strictObject({
    kind: z.literal("slack").optional(),
    token: z.string().min(1, "give the bot token (xoxb-…) of the app's OAuth page"),
    appToken: z.string().min(1).optional(),
    signingSecret: z.string().min(1).optional(),
    apiUrl: z.url({ protocol: /^https?$/ }).optional(),
    requestTimeoutMs: ms.default(15_000),
    saveTimeoutMs: ms.default(2_000),
    helloTimeoutMs: ms.default(10_000),
    pingTimeoutMs: ms.default(45_000),
    reconnectMinMs: ms.default(500),
    reconnectMaxMs: ms.default(30_000),
    stableMs: ms.default(60_000),
    closeGraceMs: ms.default(5_000),
  })
  .superRefine(({ appToken, signingSecret }, context) => {
    if ((appToken === undefined) !== (signingSecret === undefined)) return;
    const rule = "give appToken (Socket Mode) or signingSecret (HTTP)";
    context.addIssue({ code: "custom", message: appToken === undefined ? `${rule}.` : `${rule}, not both.` });
  });

/** Parsed settings, defaults filled in. */
export type SlackSettings = z.output<typeof slackSettings>;
