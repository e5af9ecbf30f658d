/**
 * The HTTP routes of hosts on other machines: `POST /v1/host/{claim,report,answer,outcome,directory,input}`, JSON both ways, with a key of
 * scope `host`. What a call may do is the desk's to say; here it is only read, handed on and answered.
 */
import type { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HandraiseError } from "../errors.js";
import type { HostDesk, HostIdentity } from "../gateway/host-desk.js";
import { HOST_PATHS } from "../ports/host-wire.js";
import type { Log } from "../ports/log.js";
import { problemResponse } from "./problem.js";

const BODY_MAX_BYTES = 1_048_576;

/** What the routes work with. */
export type HostRoutes = {
  readonly desk: Pick<HostDesk, "invoke">;
  /** Whose key this is, from the `Authorization` header. @throws `unauthenticated`, `scope_missing`. */
  readonly identify: (authorization: string | undefined) => Promise<HostIdentity>;
  readonly log: Log;
};

/** Adds them to the app of the HTTP door. A wait ends when its caller is gone. */
export function addHostRoutes(app: Hono, { desk, identify, log }: HostRoutes): void {
  const tooLong = (): Response => problemResponse(new HandraiseError("input_invalid", `body: longer than ${BODY_MAX_BYTES} bytes.`));
  for (const [method, path] of Object.entries(HOST_PATHS)) {
    app.post(path, bodyLimit({ maxSize: BODY_MAX_BYTES, onError: tooLong }), async (context) => {
      try {
        const host = await identify(context.req.header("authorization"));
        const params = parseJson(await context.req.text());
        return Response.json(await desk.invoke(host, { method, params, signal: context.req.raw.signal }));
      } catch (error) {
        if (!(error instanceof HandraiseError)) log.error({ method, error: String(error) }, "http: a host's call failed");
        return problemResponse(error);
      }
    });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HandraiseError("input_invalid", "body: not JSON.", { cause });
  }
}
