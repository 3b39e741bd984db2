import { describe, expect, test } from "vitest";
import { unlimited } from "../client/limiter.ts";
import { RestMetrics } from "../client/rest-metrics.ts";
import { RestClient } from "../client/rest.ts";
import { TransportError } from "../client/transport.ts";
import { WarningLog } from "../client/warnings.ts";
import { sleep } from "../clock/wait.ts";
import { silentLogger } from "../log/logger.ts";
import { noMetrics } from "../metrics/metrics.ts";
import { type FakeAnswer, FakeTransport, untilAborted } from "../../test/harness/fake-transport.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { waitForApiServer } from "./api-server-ready.ts";

interface Outcome {
  readonly error: Error | undefined;
  readonly tookMs: number;
  readonly lines: readonly string[];
}

/** What comes of waiting for a server that gives these answers in turn, and the last one for ever. */
async function outcome(
  answers: readonly (FakeAnswer | Error)[],
  answerMs = 0,
  signal = new AbortController().signal,
): Promise<Outcome> {
  const clock = new VirtualClock();
  const transport = new FakeTransport(async (_, limited) => {
    const answer = answers[Math.min(transport.requests.length, answers.length) - 1];
    await (answerMs === Infinity ? untilAborted(limited) : sleep(clock, answerMs, limited));
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("no answer");
    return answer;
  });
  const rest = new RestClient({
    transport,
    clock,
    limiter: unlimited,
    metrics: new RestMetrics(noMetrics, "host:6443"),
    warnings: new WarningLog(silentLogger),
    userAgent: "test",
  });
  let settled: { error: Error | undefined } | undefined;
  const waiting = waitForApiServer(rest, clock, signal).then(
    () => (settled = { error: undefined }),
    (error: unknown) => (settled = { error: error as Error }),
  );
  await clock.advanceBy(0);
  if (settled === undefined) await clock.runUntil(() => settled !== undefined);
  return { ...(await waiting), tookMs: clock.monotonicMs(), lines: transport.lines };
}

const refused = new TransportError("refused", "nobody listens", false);
const unhealthy: FakeAnswer = { status: 500, body: "[-]etcd failed" };

describe("an API server", () => {
  test("that is healthy is asked once", async () => {
    expect(await outcome([{ body: "ok" }])).toEqual({
      error: undefined,
      tookMs: 0,
      lines: ["GET /healthz"],
    });
  });

  test.each([1_500, 9_500, 12_000])("whose answer takes %i ms is waited for", async (answerMs) => {
    expect(await outcome([{ body: "ok" }], answerMs)).toMatchObject({ error: undefined, tookMs: answerMs });
  });

  test("that comes up later is asked every second", async () => {
    expect(await outcome([refused, unhealthy, refused, { body: "ok" }])).toMatchObject({
      error: undefined,
      tookMs: 3_000,
    });
  });

  test.each([
    ["does not listen", refused],
    ["is not healthy", unhealthy],
  ])("that %s is given up after ten seconds, with what it said last", async (_, answer) => {
    const { error, tookMs } = await outcome([answer]);
    expect(error?.message).toMatch(/did not become healthy within 10s/);
    expect(error?.cause).toBeInstanceOf(Error);
    expect(tookMs).toBeGreaterThanOrEqual(9_000);
    expect(tookMs).toBeLessThanOrEqual(10_000);
  });

  test("is not asked any longer once there is an abort", async () => {
    const reason = new Error("stop");
    const { error, lines } = await outcome([{ body: "ok" }], Infinity, AbortSignal.abort(reason));
    expect(error).toBe(reason);
    expect(lines).toEqual([]);
  });
});
