import { describe, expect, test } from "vitest";
import type { FakeAnswer } from "../../test/harness/fake-transport.ts";
import { FakeTransport } from "../../test/harness/fake-transport.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { Logger } from "../log/logger.ts";
import { silentLogger } from "../log/logger.ts";
import type { Labels, Metrics } from "../metrics/metrics.ts";
import { noMetrics } from "../metrics/metrics.ts";
import type { ApiError } from "./errors.ts";
import {
  isConnectionError,
  isNotFound,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
} from "./errors.ts";
import { unlimited } from "./limiter.ts";
import { RestMetrics } from "./rest-metrics.ts";
import type { RestRequest } from "./rest.ts";
import { RestClient } from "./rest.ts";
import { TransportError } from "./transport.ts";
import { WarningLog } from "./warnings.ts";

const GET: RestRequest = { method: "GET", path: "/api/v1/pods" };
const DELETE: RestRequest = { method: "DELETE", path: "/api/v1/pods/a" };
const POST: RestRequest = { method: "POST", path: "/api/v1/pods", body: { a: 1 } };

interface Setup {
  readonly clock: VirtualClock;
  readonly transport: FakeTransport;
  readonly rest: RestClient;
}

function setup(
  answers: readonly (FakeAnswer | Error)[],
  options: { metrics?: Metrics; log?: Logger; timeoutMs?: number } = {},
): Setup {
  const clock = new VirtualClock();
  const transport = new FakeTransport(() => {
    const answer = answers[Math.min(transport.requests.length, answers.length) - 1];
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("no answer");
    return answer;
  });
  const rest = new RestClient({
    transport,
    clock,
    limiter: unlimited,
    metrics: new RestMetrics(options.metrics ?? noMetrics, "host:6443"),
    warnings: new WarningLog(options.log ?? silentLogger),
    userAgent: "test",
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  });
  return { clock, transport, rest };
}

async function outcome(
  { clock, rest }: Setup,
  request: RestRequest,
): Promise<{ value?: unknown; error?: ApiError; tookMs: number }> {
  let settled: { value?: unknown; error?: ApiError } | undefined;
  const work = rest.json(request).then(
    (value) => (settled = { value }),
    (error: unknown) => (settled = { error: error as ApiError }),
  );
  await clock.advanceBy(0);
  if (settled === undefined) await clock.runUntil(() => settled !== undefined);
  return { ...(await work), tookMs: clock.monotonicMs() };
}

const busy = (seconds?: number): FakeAnswer => ({
  status: 429,
  headers: seconds === undefined ? {} : { "retry-after": String(seconds) },
});
const ok: FakeAnswer = { body: { ok: true } };
const lost = (sent: boolean): Error => new TransportError("lost", "connection lost", sent);

describe("retries", () => {
  test.each<[string, RestRequest, (FakeAnswer | Error)[], { calls: number; tookMs: number; ok: boolean }]>([
    ["a 429 with Retry-After", GET, [busy(2), busy(3), ok], { calls: 3, tookMs: 5_000, ok: true }],
    [
      "a 503 with Retry-After, writes too",
      POST,
      [{ ...busy(1), status: 503 }, ok],
      { calls: 2, tookMs: 1_000, ok: true },
    ],
    ["not a 429 without it", GET, [busy(), ok], { calls: 1, tookMs: 0, ok: false }],
    ["not a 404 with it", GET, [{ ...busy(1), status: 404 }, ok], { calls: 1, tookMs: 0, ok: false }],
    ["ten times at most", GET, [busy(1)], { calls: 11, tookMs: 10_000, ok: false }],
    ["a read whose connection was lost", GET, [lost(true), ok], { calls: 2, tookMs: 1_000, ok: true }],
    ["no write that the server may have seen", POST, [lost(true), ok], { calls: 1, tookMs: 0, ok: false }],
    ["no DELETE that the server may have seen", DELETE, [lost(true), ok], { calls: 1, tookMs: 0, ok: false }],
    ["a DELETE that was never sent", DELETE, [lost(false), ok], { calls: 2, tookMs: 0, ok: true }],
    ["a write that was never sent", POST, [lost(false), ok], { calls: 2, tookMs: 0, ok: true }],
    [
      "no refused connection",
      GET,
      [new TransportError("refused", "no", false), ok],
      { calls: 1, tookMs: 0, ok: false },
    ],
  ])("%s", async (_, request, answers, expected) => {
    const given = setup(answers);
    const { value, tookMs } = await outcome(given, request);
    expect({ calls: given.transport.requests.length, tookMs, ok: value !== undefined }).toEqual(expected);
  });

  test("the wait for a retry ends at once on abort, with its reason", async () => {
    const { clock, rest } = setup([busy(60)]);
    const abort = new AbortController();
    const work = rest.json(GET, abort.signal);
    const rejected = expect(work).rejects.toThrow("stop");
    await clock.advanceBy(1);
    abort.abort(new Error("stop"));
    await rejected;
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("errors", () => {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: 'pods "x" not found',
    reason: "NotFound",
    code: 404,
    details: { name: "x", kind: "pods", retryAfterSeconds: 7, causes: [{ reason: "R", field: "f" }] },
  };

  test("a Status becomes an ApiError with all it says, and the request", async () => {
    const { error } = await outcome(setup([{ status: 404, body: status }]), GET);
    expect(error).toMatchObject({
      message: 'pods "x" not found',
      code: 404,
      reason: "NotFound",
      retryAfterMs: 7_000,
      causes: [{ reason: "R", field: "f" }],
      method: "GET",
      path: "/api/v1/pods",
    });
    expect(isNotFound(error)).toBe(true);
  });

  test.each<[number, string, string]>([
    [404, "GET", "NotFound"],
    [409, "POST", "AlreadyExists"],
    [409, "PUT", "Conflict"],
    [502, "GET", "InternalError"],
    [503, "GET", "ServiceUnavailable"],
    [418, "GET", ""],
  ])("an answer %i to a %s without a Status has the reason %j", async (code, method, reason) => {
    const request = { ...GET, method: method as RestRequest["method"] };
    const { error } = await outcome(setup([{ status: code, body: "Bad gateway" }]), request);
    expect(error).toMatchObject({ code, reason });
    expect(error?.message).toContain("Bad gateway");
  });

  test.each<[string, FakeAnswer]>([
    ["an object that is no Status", { status: 500, body: { kind: "Secret", data: { token: "hush" } } }],
    ["broken JSON", { status: 500, headers: { "content-type": "application/json" }, body: "hush" }],
    ["a page of HTML", { status: 500, headers: { "content-type": "text/html" }, body: "hush" }],
    ["an echoed token", { status: 500, body: "got Authorization: Bearer hush.x-y" }],
  ])("does not quote %s", async (_, answer) => {
    const { error } = await outcome(setup([answer]), GET);
    expect(error?.code).toBe(500);
    expect(`${error?.message} ${JSON.stringify(error)}`).not.toContain("hush");
  });

  test("a version from the future is told from other time-outs by its cause", async () => {
    const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
    const tooLarge = { ...status, code: 504, reason: "Timeout", details: { causes } };
    const { error } = await outcome(setup([{ status: 504, body: tooLarge }]), GET);
    expect([isTimeout(error), isTooLargeResourceVersion(error)]).toEqual([true, true]);
    const plain = await outcome(setup([{ status: 504, body: "" }]), GET);
    expect([isTimeout(plain.error), isTooLargeResourceVersion(plain.error)]).toEqual([true, false]);
  });

  test("no answer is code 0 with the failure", async () => {
    const { error } = await outcome(
      setup([new TransportError("refused", "connect ECONNREFUSED", false)]),
      GET,
    );
    expect(error).toMatchObject({ code: 0, failure: "refused" });
    expect(isConnectionError(error)).toBe(true);
  });

  test("a time limit covers the retries and is an ApiError", async () => {
    const { error, tookMs } = await outcome(setup([busy(4)], { timeoutMs: 10_000 }), GET);
    expect(isTimeout(error)).toBe(true);
    expect(isTooManyRequests(error)).toBe(false);
    expect(tookMs).toBe(10_000);
  });
});

test("a warning is logged once, however often it comes", async () => {
  const warnings: string[] = [];
  const log: Logger = { ...silentLogger, warn: (message) => warnings.push(message) };
  const header = '299 - "v1 Endpoints is deprecated, use \\"EndpointSlice\\"", 199 - "other", 299 - "second"';
  const given = setup([{ ...ok, headers: { warning: header } }], { log });
  await outcome(given, GET);
  await outcome(given, GET);
  expect(warnings).toEqual(['v1 Endpoints is deprecated, use "EndpointSlice"', "second"]);
});

test("metrics count each attempt, and each request once", async () => {
  const seen: [string, Labels | undefined][] = [];
  const record = (name: string) => ({
    inc: (labels?: Labels) => seen.push([name, labels]),
    observe: (_: number, labels?: Labels) => seen.push([name, labels]),
    with: () => ({ inc: () => undefined, observe: () => undefined }),
  });
  const metrics: Metrics = {
    ...noMetrics,
    counter: ({ name }) => record(name),
    histogram: ({ name }) => record(name),
  };
  await outcome(setup([busy(1), lost(true), ok], { metrics }), GET);
  const verb = { verb: "GET", host: "host:6443" };
  const counted = (name: string): (Labels | undefined)[] =>
    seen.filter(([each]) => each === `rest_client_${name}`).map(([, labels]) => labels);
  expect(counted("requests_total")).toEqual([
    { code: "429", method: "GET", host: "host:6443" },
    { code: "<error>", method: "GET", host: "host:6443" },
    { code: "200", method: "GET", host: "host:6443" },
  ]);
  expect(counted("request_retries_total")).toEqual([
    { code: "<error>", ...verb },
    { code: "200", ...verb },
  ]);
  expect(counted("request_duration_seconds")).toEqual([verb]);
  expect(counted("rate_limiter_duration_seconds")).toHaveLength(3);
  expect(counted("response_size_bytes")).toEqual([verb]);
});
