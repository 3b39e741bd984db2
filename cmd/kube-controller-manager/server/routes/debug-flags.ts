import { messageOf } from "../../../../pkg/api/errors.ts";
import type { FastifyInstance } from "fastify";
import type { Verbosity } from "../../../../pkg/log/verbosity.ts";

const INDEX = `<html>
<head>
<title>/debug/flags/</title>
</head>
<body>
/debug/flags/<br>
<br>
flags:<br>
<table>
<tr>v<br>
<tr>vmodule<br>
</table>
<br>
full flags configurable<br>
</body>
</html>
`;

/** Levels of the log that can be PUT while the program runs. Upstream has `v` only. */
export function debugFlags(app: FastifyInstance, verbosity: Verbosity): void {
  const index = ["/debug/flags", "/debug/flags/*"];
  for (const path of index) {
    app.all(path, async (_, reply) => reply.type("text/html; charset=utf-8").send(INDEX));
  }
  settable(app, "v", (value) => {
    if (!/^\d{1,9}$/.test(value)) throw new Error(`${JSON.stringify(value)} is not a whole number`);
    verbosity.setLevel(Number(value));
    return `successfully set klog.logging.verbosity to ${value}`;
  });
  settable(app, "vmodule", (value) => {
    verbosity.setVmodule(value);
    return `successfully set vmodule to ${value}`;
  });
}

function settable(app: FastifyInstance, name: string, set: (value: string) => string): void {
  app.all(`/debug/flags/${name}`, async ({ method, body }, reply) => {
    reply.type("text/plain").header("x-content-type-options", "nosniff");
    if (method !== "PUT") return reply.code(406).send("unsupported http method\n");
    try {
      return await reply.send(`${set(typeof body === "string" ? body : "")}\n`);
    } catch (error) {
      return reply.code(400).send(`${messageOf(error)}\n`);
    }
  });
}
