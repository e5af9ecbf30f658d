/** What a Slack simulator can be started again from, as plain JSON: for the local page, whose conversations outlive the program. */
import { z } from "zod";
import type { Json } from "./json.js";

const json = z.custom<Json>((value) => typeof value === "object" && value !== null && !Array.isArray(value));
const message = z.object({
  ts: z.string(),
  conversation: z.string(),
  user: z.string(),
  threadTs: z.string().exactOptional(),
  onlyTo: z.string().exactOptional(),
  subtype: z.string().exactOptional(),
  metadata: json.exactOptional(),
  attachments: z.array(json).readonly().exactOptional(),
  files: z.array(json).readonly().exactOptional(),
  atMs: z.number(),
  text: z.string(),
  blocks: z.array(json).readonly(),
  former: z.array(json).readonly().exactOptional(),
  editedAtMs: z.number().exactOptional(),
});

/** People, conversations and the counters behind ids. Open modals and unconfirmed deliveries are not kept: their handles die with the process. */
export const slackSnapshot = z.object({
  users: z.array(z.object({ id: z.string(), name: z.string(), direct: z.string(), blocksBot: z.boolean() })),
  conversations: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      direct: z.boolean(),
      members: z.array(z.string()),
      archived: z.boolean(),
      messages: z.array(message),
    }),
  ),
  lastMicros: z.number(),
  serial: z.number(),
  envelopes: z.number(),
});
/** A stored Slack simulator. */
export type SlackSnapshot = z.infer<typeof slackSnapshot>;
