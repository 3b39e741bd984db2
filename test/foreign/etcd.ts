// Stands where envtest expects etcd. The embedded API server keeps its own state: all that is asked of this one is
// whether it is healthy.
import { createServer } from "node:http";
import { askedToEnd } from "./asked-to-end.ts";
import { readFlags } from "./flags.ts";

const flags = readFlags(process.argv.slice(2), [
  "advertise-client-urls",
  "data-dir",
  "listen-client-urls",
  "listen-peer-urls",
]);
if (flags !== undefined) {
  const { hostname, port } = new URL(flags.one("listen-client-urls"));
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json").end('{"health":"true"}');
  });
  server.listen(Number(port), hostname);
  await askedToEnd();
  server.close();
  server.closeAllConnections();
}
