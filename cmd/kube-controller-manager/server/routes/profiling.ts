import { getHeapSnapshot } from "node:v8";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../../../pkg/clock/clock.ts";
import { Profiler, ProfilerBusyError } from "../profiler.ts";
import { PLAIN_TEXT, queryValues, replyText } from "../reply.ts";

const DEFAULT_SECONDS = 30;
const MOST_SECONDS = 3_600;

const INDEX = `<html>
<head>
<title>/debug/pprof/</title>
</head>
<body>
/debug/pprof/
<br>
<table>
<tr><td><a href='profile?seconds=30'>profile</a></td><td>CPU profile (.cpuprofile), over the given seconds</td></tr>
<tr><td><a href='allocs?seconds=30'>allocs</a></td><td>Allocations still in use (.heapprofile), sampled over the given seconds</td></tr>
<tr><td><a href='heap?seconds=30'>heap</a></td><td>The same for go tool pprof</td></tr>
<tr><td><a href='goroutine'>goroutine</a></td><td>What keeps the event loop busy or alive, by kind</td></tr>
</table>
</body>
</html>
`;

/** The paths of Go's profiler as far as there is something to say. None of what they tell was in the heap. */
export function profilingRoutes(app: FastifyInstance, clock: Clock): void {
  const profiler = new Profiler(clock);
  app.all("/debug/pprof", async (_, reply) => reply.redirect("/debug/pprof/", 302));
  app.all("/debug/pprof/", async (_, reply) => reply.type("text/html; charset=utf-8").send(INDEX));
  app.all("/debug/pprof/profile", async (request, reply) =>
    sendProfile(request, reply, "profile.cpuprofile", async (ms, signal) => profiler.cpu(ms, signal)),
  );
  app.all("/debug/pprof/allocs", async (request, reply) =>
    sendProfile(request, reply, "allocs.heapprofile", async (ms, signal) => profiler.allocations(ms, signal)),
  );
  app.all("/debug/pprof/heap", async (request, reply) =>
    sendProfile(request, reply, "heap.pb.gz", async (ms, signal) => profiler.heap(ms, signal)),
  );
  app.all("/debug/pprof/goroutine", async (_, reply) => {
    const counts = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
    const lines = [...counts].map(([kind, { length }]) => `${String(length).padStart(6)} ${kind}\n`);
    return reply.type(PLAIN_TEXT).send(lines.toSorted().reverse().join(""));
  });
  app.all("/debug/pprof/*", async (_, reply) => replyText(reply, 404, "Unknown profile\n"));
}

/** All that is in the heap, tokens and Secrets included; the process stands still while it is taken. */
export function heapSnapshotRoute(app: FastifyInstance): void {
  app.all("/debug/v8/heap-snapshot", async (_, reply) =>
    asFile(reply, "heap.heapsnapshot").send(getHeapSnapshot()),
  );
}

async function sendProfile(
  request: FastifyRequest,
  reply: FastifyReply,
  fileName: string,
  take: (durationMs: number, signal: AbortSignal) => Promise<unknown>,
): Promise<FastifyReply> {
  const [text = ""] = queryValues(request.query, "seconds");
  const seconds = text === "" ? DEFAULT_SECONDS : Number(text);
  if (!(seconds > 0 && seconds <= MOST_SECONDS)) {
    return replyText(reply, 400, `seconds must be above 0 and at most ${MOST_SECONDS}\n`);
  }
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort(new Error("the client has gone")));
  try {
    const profile = await take(seconds * 1_000, gone.signal);
    return await asFile(reply, fileName).send(Buffer.isBuffer(profile) ? profile : JSON.stringify(profile));
  } catch (error) {
    // Nobody is left to answer.
    if (gone.signal.aborted) return reply.hijack();
    if (!(error instanceof ProfilerBusyError)) throw error;
    return replyText(reply, 500, `${error.message}\n`);
  }
}

function asFile(reply: FastifyReply, name: string): FastifyReply {
  const type = name.endsWith(".gz") ? "application/octet-stream" : "application/json";
  return reply.type(type).header("content-disposition", `attachment; filename="${name}"`);
}
