import type { Mutant } from "./mutant.ts";

const FORWARD = "pkg/client/pods/port-forward.ts";
const COPY = "pkg/client/pods/copy.ts";
const PROCESSES = "pkg/client/pods/processes.ts";
const SOURCE = "pkg/controller/builder/source.ts";
const NOTED = "pkg/controller/noted-client.ts";
const PAGES = "pkg/manager/page-server.ts";
const ENDING = "pkg/manager/end-in-time.ts";
const DIAL = "pkg/client/http/dial.ts";
const RESPONSE = "pkg/client/http/http-response.ts";
const WEB_SOCKET = "pkg/client/http/open-web-socket.ts";
const PUMP = "pkg/cache/informer/delta-pump.ts";
const LISTENER = "pkg/webhook/https-listener.ts";

/** A row for the tests beside the file. */
function row(name: string, file: string, find: string, replace: string): Mutant {
  return { name: `breaking off: ${name}`, file, find, replace, tests: [file.replace(/\.ts$/, ".test.ts")] };
}

/** What connections, listeners and streams do when something fails on one side of them. */
export const breakingOffMutants: readonly Mutant[] = [
  row(
    "an abort while ports are being opened leaves them open",
    FORWARD,
    `    signal?.throwIfAborted();
    signal?.addEventListener`,
    `    signal?.addEventListener`,
  ),
  row(
    "a forwarded port outlives an abort",
    FORWARD,
    `signal?.addEventListener("abort", onAbort`,
    `signal?.addEventListener("close", onAbort`,
  ),
  row(
    "a signal keeps forwarded ports that were closed",
    FORWARD,
    `    signal?.removeEventListener("abort", onAbort);\n`,
    ``,
  ),
  row(
    "one connection too many ends the process that forwards a port",
    FORWARD,
    `      listener.on("error", onError);\n`,
    ``,
  ),
  row(
    "a port that is taken leaves the others open",
    FORWARD,
    `    await close();\n    throw error;`,
    `    throw error;`,
  ),
  row(
    "a forwarded connection lasts until both sides have ended it",
    FORWARD,
    `await Promise.race([flushed, sending.then(async () => flushed)]);`,
    `await Promise.all([flushed, sending]);`,
  ),
  row(
    "what the pod's node says against a forwarded port is taken for data",
    FORWARD,
    `if (channel === ERROR) throw`,
    `if (channel > ERROR) throw`,
  ),
  row(
    "a number that is cut in two is taken for data",
    FORWARD,
    `    skipped.set(channel, (skipped.get(channel) ?? 0) - skip);`,
    `    skipped.set(channel, 0);`,
  ),
  row(
    "the pod does not hear that a forwarded connection has ended",
    FORWARD,
    `  } finally {
    await stream.close();`,
    `  } finally {
    if (socket.errored) await stream.close();`,
  ),
  row(
    "files that nobody reads stay open",
    COPY,
    `content: contentOf(path) }`,
    `content: createReadStream(path) }`,
  ),
  row("a copy that broke off counts", COPY, `  if (failure !== undefined) throw failure;\n`, ``),
  row(
    "a connection that breaks leaves a copy waiting",
    COPY,
    `      archive.destroy(error);
      throw error;`,
    `      if (archive.destroyed) archive.destroy(error);
      throw error;`,
  ),
  row(
    "a full disk is told of as a broken connection",
    PROCESSES,
    `    if (failure instanceof CallersFailure) throw failure.cause;
    throw errorOfFailure(asTransportError(failure)`,
    `    throw errorOfFailure(asTransportError(failure instanceof CallersFailure ? failure.cause : failure)`,
  ),
  row(
    "a terminal has the wrong size",
    PROCESSES,
    `Width: columns, Height: rows`,
    `Width: rows, Height: columns`,
  ),
  row(
    "a log that breaks off hides who broke it off",
    "pkg/client/pods/logs.ts",
    `    signal?.throwIfAborted();
    throw errorOfFailure`,
    `    throw errorOfFailure`,
  ),
  row(
    "a log that breaks off has ended",
    "pkg/client/pods/logs.ts",
    `    throw errorOfFailure(failure, request);`,
    `    void errorOfFailure(failure, request);`,
  ),
  row(
    "failures of long ago count",
    SOURCE,
    `if (clock.monotonicMs() - begunMs >= WELL_MS)`,
    `if (clock.monotonicMs() < begunMs)`,
  ),
  row(
    "a source that fails is begun again without a rest",
    SOURCE,
    `await sleep(clock, pauseMs, signal);`,
    `await sleep(clock, 0, signal);`,
  ),
  row(
    "a source that cannot be begun again is",
    SOURCE,
    `      if (typeof source !== "function") throw error;\n`,
    ``,
  ),
  row(
    "a source does not hear of the end",
    SOURCE,
    `if (signal.aborted) iterator.return`,
    `if (!signal.aborted) iterator.return`,
  ),
  row(
    "a source holds up the end",
    SOURCE,
    `await abortable(iterator.next(), signal)`,
    `await iterator.next()`,
  ),
  row("controllers have no sessions with pods", NOTED, `    ...(upgrade && {`, `    ...(!upgrade && {`),
  row("a session with a pod leaves no note", NOTED, `        noteUpgrade(request.path, answer);\n`, ``),
  row("a write that fails leaves no note", NOTED, "    noteWrite(request, `: ${messageOf(error)}`);\n", ``),
  row(
    "a connection that cannot be accepted ends the care for the pages' certificate",
    PAGES,
    `      server.off("error", onError);\n`,
    ``,
  ),
  row(
    "a certificate is looked after for a port that could not be had",
    PAGES,
    `      stop.abort(error);
      reject(`,
    `      reject(`,
  ),
  row(
    "a page that fails is never answered",
    PAGES,
    `      response.end();
    });`,
    `    });`,
  ),
  row(
    "controllers that fail at their end hold up the process",
    ENDING,
    `  } finally {
    signal.removeEventListener("abort", onAbort);
    // A process with a timer goes on, though all of its work has ended.
    timer?.cancel();
  }`,
    `    timer?.cancel();
  } finally {
    signal.removeEventListener("abort", onAbort);
  }`,
  ),
  row(
    "what fails after the shutdown timeout is told to nobody",
    ENDING,
    `log.error(error, "A controller failed after the shutdown timeout")`,
    `void error`,
  ),
  row(
    "one connection too many ends the process that serves webhooks",
    LISTENER,
    `    listener.#server.on("error", (error) => options.log.error(error, "A connection cannot be accepted"));\n`,
    ``,
  ),
  row("webhooks end before they have answered", LISTENER, `setTimer(DRAIN_LIMIT_MS,`, `setTimer(0,`),
  row(
    "a webhook that never answers holds up the end",
    LISTENER,
    `for (const socket of this.#sockets) socket.destroy();`,
    ``,
  ),
  row(
    "the drain of webhooks leaves a timer",
    LISTENER,
    `    await closed;
    timer.cancel();`,
    `    await closed;`,
  ),
  row("a new certificate of webhooks is not shown", LISTENER, `this.#server.setSecureContext(`, `void (`),
  row(
    "a webhook works on for an API server that went away",
    LISTENER,
    `      gone.abort(new Error("the API server went away"));`,
    ``,
  ),
  row("a dial goes on when nobody waits for it", DIAL, `    if (signal.aborted) onAbort();\n`, ``),
  row(
    "a connection that was given up ends the process",
    DIAL,
    `        socket.on("error", () => undefined);\n`,
    ``,
  ),
  row("a connection that closes is waited for", DIAL, `    socket.once("close", onClose);\n`, ``),
  {
    ...row(
      "a proxy that never answers is waited for",
      "pkg/client/http/proxy.ts",
      `void socket.destroy(signal.reason as Error)`,
      `undefined`,
    ),
    tests: ["pkg/client/http/dial.test.ts"],
  },
  {
    ...row(
      "why a proxy was given up is not told",
      "pkg/client/http/proxy.ts",
      `throw signal.aborted ? (signal.reason as Error) : failure;`,
      `throw failure;`,
    ),
    tests: ["pkg/client/http/dial.test.ts"],
  },
  row(
    "of headers that come several times the first counts",
    RESPONSE,
    `value.join(", ")`,
    `(value[0] ?? "")`,
  ),
  row(
    "protobuf that cannot be read is a mistake of the program",
    RESPONSE,
    `if (!(failure instanceof ProtobufError)) throw failure;`,
    `throw failure;`,
  ),
  {
    ...row(
      "a server that takes too long is a lost connection",
      "pkg/client/http/failure.ts",
      `code === "UND_ERR_HEADERS_TIMEOUT" || `,
      ``,
    ),
    tests: ["pkg/client/http/http-response.test.ts"],
  },
  row(
    "who stops during a hand-shake is told of a lost connection",
    WEB_SOCKET,
    `if (signal?.aborted === true) reject(signal.reason as Error);`,
    `if (signal?.reason === 0) reject(signal.reason as Error);`,
  ),
  row(
    "sessions that have ended stay with their signal",
    WEB_SOCKET,
    `    socket.once("close", () => signal?.removeEventListener("abort", onAbort));\n`,
    ``,
  ),
  row(
    "changes are taken without bounds",
    PUMP,
    `this.#options.queue.length < MOST_QUEUED) return undefined;`,
    `this.#options.queue.length > 0) return undefined;`,
  ),
  row(
    "the end of a cache leaves its reflector waiting",
    PUMP,
    `    this.#stopped = true;
    this.#letIn();`,
    `    this.#stopped = true;`,
  ),
];
