/**
 * The shape of a config (api.md, section 3): what may be written, before any name is looked up. Unknown settings are refused.
 *
 * Each account's own settings are judged by its adapter's schema; here only their names stand, for editors. What later issues
 * bring is listed in `LATER_SETTINGS` and refused by name, so that nothing is silently without effect.
 */
import { z } from "zod";
import { questionAskSchema } from "../core/question.js";

/** The platforms an account can be of. */
export const CHANNEL_KINDS = ["slack", "discord", "telegram"] as const;

const TIMEOUT_REMEDY = 'write a duration like "90s", "15m", "2h" or "3d", or "none".';

/** What `until` of a visitor may be. */
export const UNTIL_REMEDY = "write a date such as 2027-01-10 (to its end, UTC), or an instant such as 2027-01-10T18:00:00+01:00.";

const ask = questionAskSchema.shape;
const timeout = z
  .string({ error: TIMEOUT_REMEDY })
  .regex(/^(none|\d{1,6}[smhd])$/, { error: TIMEOUT_REMEDY })
  .optional();
const nameOrNames = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)], { error: "write a name, or a list of names." });

const account = z.looseObject({
  kind: z.enum(CHANNEL_KINDS, { error: "write slack, discord or telegram." }).optional(),
  token: z.string().optional(),
  appToken: z.string().optional(),
  signingSecret: z.string().optional(),
  remote: z.literal(true, { error: "write true, or leave it out." }).optional(),
});

const person = z
  .object({
    name: z.string().min(1).max(80).optional(),
    prefers: z.string().min(1).optional(),
    language: z
      .string()
      .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, "write a language tag such as en or de.")
      .optional(),
    timezone: z.string().min(1).optional(),
    until: z.string({ error: UNTIL_REMEDY }).optional(),
  })
  .catchall(z.union([z.string().min(1), z.number()], { error: "write one id, as text." }));

const route = z.strictObject({
  to: nameOrNames,
  audience: nameOrNames.optional(),
  visibility: ask.visibility,
  title: ask.title,
  text: ask.text.optional(),
  agent: ask.agent,
  timeout,
  deliverWithin: ask.deliverWithin,
  ownThread: ask.ownThread,
  metadata: ask.metadata,
});

const access = z.strictObject({
  anyone: z.boolean({ error: "write true or false." }).optional(),
  requester: z.enum(["allowed", "excluded"], { error: "write allowed or excluded." }).optional(),
  handoff: nameOrNames.optional(),
});

const defaults = z.strictObject({
  to: z.string().min(1).optional(),
  timeout,
  language: person.shape.language,
  timezone: z.string().min(1).optional(),
});

/** A config as it is written, in a file or as an object. */
export const configSchema = z.strictObject({
  accounts: z.record(z.string(), account, { error: missing("no bot to sign in as. Add an account, or start with --simulated.") }),
  people: z.record(z.string(), person, { error: missing("nobody could answer. Add a person with an id, such as me: { telegram: 4242 }.") }),
  roles: z
    .record(z.string(), z.array(z.string().min(1)).min(1, "names nobody. Name people, or leave it out."), {
      error: "write name: [people].",
    })
    .optional(),
  routes: z.record(z.string(), route).optional(),
  access: access.optional(),
  defaults: defaults.optional(),
  store: z.string().min(1).optional(),
  listen: z.string().min(1).optional(),
});

/** A config that has the right shape; names are not looked up yet. */
export type ConfigShape = z.output<typeof configSchema>;

/** Settings of later issues, by path (`*`: any name): refused, because they would have no effect yet. */
export const LATER_SETTINGS: readonly (readonly string[])[] = [
  ["people", "*", "delegate"],
  ["routes", "*", "quorum"],
  ["routes", "*", "remindAfter"],
  ["routes", "*", "escalate"],
  ["routes", "*", "callbackUrl"],
  ["webhooks"],
];

/** The names a map of the config knows, for "did you mean"; [] where names are the writer's own. */
export function knownSettings(path: readonly (string | number)[]): readonly string[] {
  const [section] = path;
  if (path.length === 0) return Object.keys(configSchema.shape);
  if (path.length === 1 && section === "access") return Object.keys(access.shape);
  if (path.length === 1 && section === "defaults") return Object.keys(defaults.shape);
  return path.length === 2 && section === "routes" ? Object.keys(route.shape) : [];
}

/** The JSON schema of the file, for editors: config/handraise.schema.json, compared with it by a test. */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: "input" });
  return { $schema, title: "handraise.yaml", ...schema };
}

function missing(message: string): (issue: { readonly input?: unknown }) => string | undefined {
  return ({ input }) => (input === undefined || input === null ? message : undefined);
}
