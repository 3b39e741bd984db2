import { describe, expect, test } from "vitest";
import { unlimited } from "../../client/limiter.ts";
import { RestMetrics } from "../../client/rest-metrics.ts";
import { RestClient } from "../../client/rest.ts";
import { TransportError } from "../../client/transport.ts";
import { WarningLog } from "../../client/warnings.ts";
import { seededRandom } from "../../clock/random.ts";
import { silentLogger } from "../../log/logger.ts";
import { noMetrics } from "../../metrics/metrics.ts";
import { createMetrics } from "../../metrics/registry.ts";
import { type FakeAnswer, FakeTransport, untilAborted } from "../../../test/harness/fake-transport.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { ReviewClient } from "./review-client.ts";
import { accessReviews } from "./subject-access-review.ts";
import { TokenCache, tokenReviews } from "./token-review.ts";
import type { User } from "./user.ts";

interface World {
  readonly clock: VirtualClock;
  readonly transport: FakeTransport;
  readonly client: ReviewClient;
  readonly metrics: ReturnType<typeof createMetrics>["main"];
}

interface ReviewBody {
  readonly spec: { readonly token?: string };
}

type Answer = (body: ReviewBody, asked: number) => FakeAnswer | Promise<FakeAnswer>;

function world(purpose: "authn" | "authz", answer: Answer): World {
  const clock = new VirtualClock();
  const metrics = createMetrics({ version: "1.36.4" }).main;
  const transport: FakeTransport = new FakeTransport(async (request, signal) =>
    signal?.aborted === true
      ? untilAborted(signal)
      : answer(request.body as ReviewBody, transport.requests.length),
  );
  const rest = new RestClient({
    transport,
    clock,
    limiter: unlimited,
    metrics: new RestMetrics(noMetrics, "host"),
    warnings: new WarningLog(silentLogger),
    userAgent: "test",
  });
  const client = new ReviewClient({ rest, clock, random: seededRandom(1), metrics, purpose });
  return { clock, transport, client, metrics };
}

const status = (status: unknown): FakeAnswer => ({ status: 201, body: { status } });
const jane = {
  authenticated: true,
  user: { username: "jane", groups: ["devs"], uid: "7", extra: { a: ["b"] } },
};

describe("TokenReview", () => {
  const cacheOf = ({ client, clock, metrics }: World, ttlMs = 10_000): TokenCache =>
    new TokenCache(tokenReviews(client), ttlMs, { clock, metrics });

  test("the user of a token is asked for once, and again when the time is over", async () => {
    const parts = world("authn", () => status(jane));
    const cache = cacheOf(parts);
    const user: User = { name: "jane", groups: ["devs"], uid: "7", extra: { a: ["b"] } };
    expect(await cache.userOf("secret")).toEqual(user);
    await parts.clock.advanceBy(9_999);
    expect(await cache.userOf("secret")).toEqual(user);
    expect(parts.transport.lines).toEqual(["POST /apis/authentication.k8s.io/v1/tokenreviews"]);
    expect(parts.transport.requests[0]?.body).toMatchObject({
      kind: "TokenReview",
      spec: { token: "secret" },
    });
    await parts.clock.advanceBy(2);
    await cache.userOf("secret");
    expect(parts.transport.requests.length).toBe(2);
  });

  test("that a token is nobody's is remembered, a reason against it is not", async () => {
    const parts = world("authn", ({ spec }) =>
      status(spec.token === "expired" ? { error: "token expired" } : { authenticated: false }),
    );
    const cache = cacheOf(parts);
    expect(await cache.userOf("unknown")).toBeUndefined();
    expect(await cache.userOf("unknown")).toBeUndefined();
    expect(parts.transport.requests.length).toBe(1);
    await expect(cache.userOf("expired")).rejects.toThrow("token expired");
    await expect(cache.userOf("expired")).rejects.toThrow("token expired");
    expect(parts.transport.requests.length).toBe(3);
  });

  test("requests with one token at a time share the question", async () => {
    const parts = world("authn", () => status(jane));
    const cache = cacheOf(parts);
    const users = await Promise.all([cache.userOf("t"), cache.userOf("t"), cache.userOf("other")]);
    expect(users.map((user) => user?.name)).toEqual(["jane", "jane", "jane"]);
    expect(parts.transport.requests.length).toBe(2);
  });

  test("nothing is remembered with a lifetime of 0", async () => {
    const parts = world("authn", () => status(jane));
    const cache = cacheOf(parts, 0);
    await cache.userOf("t");
    await cache.userOf("t");
    expect(parts.transport.requests.length).toBe(2);
  });

  test("look-ups and questions are counted", async () => {
    const parts = world("authn", (_, asked) => (asked === 1 ? status(jane) : { status: 403, body: "no" }));
    const cache = cacheOf(parts);
    await cache.userOf("t");
    await cache.userOf("t");
    await expect(cache.userOf("u")).rejects.toThrow("403");
    const text = await parts.metrics.expose();
    for (const line of [
      'authentication_token_cache_request_total{status="hit"} 1',
      'authentication_token_cache_request_total{status="miss"} 2',
      'authentication_token_cache_fetch_total{status="ok"} 1',
      'authentication_token_cache_fetch_total{status="error"} 1',
      'authentication_token_cache_active_fetch_count{status="blocked"} 0',
      'authentication_token_cache_active_fetch_count{status="in_flight"} 0',
      'apiserver_delegated_authn_request_total{code="201"} 1',
      'apiserver_delegated_authn_request_total{code="403"} 1',
    ])
      expect(text).toContain(line);
  });
});

describe("trouble on the way to the API server", () => {
  test.each<[string, () => FakeAnswer, number]>([
    ["500", () => ({ status: 500, body: "oops" }), 5],
    ["504", () => ({ status: 504, body: "late" }), 5],
    ["429", () => ({ status: 429, body: "slow" }), 5],
    [
      "a lost connection",
      () => {
        throw new TransportError("lost", "connection reset", true);
      },
      5,
    ],
    [
      "a refused connection",
      () => {
        throw new TransportError("refused", "nobody there", false);
      },
      1,
    ],
    ["403", () => ({ status: 403, body: "no" }), 1],
  ])("%s", async (_, answer, attempts) => {
    const { client, clock, transport } = world("authn", answer);
    const asked = client.ask(
      { group: "g", version: "v1", plural: "reviews", kind: "Review", namespaced: false },
      {},
    );
    const failed = expect(asked).rejects.toThrow();
    await clock.advanceBy(10_000);
    await failed;
    expect(transport.requests.length).toBe(attempts);
  });

  test("the first answer counts that is one", async () => {
    const parts = world("authn", (_, asked) => (asked < 3 ? { status: 500, body: "oops" } : status(jane)));
    const user = tokenReviews(parts.client)("t");
    await parts.clock.advanceBy(2_000);
    expect((await user)?.name).toBe("jane");
  });

  test("a server that does not answer is given up after ten seconds", async () => {
    const never = new Promise<FakeAnswer>(() => undefined);
    const parts = world("authn", async () => never);
    const hanging = new FakeTransport(async (_, signal) => untilAborted(signal));
    const rest = new RestClient({
      transport: hanging,
      clock: parts.clock,
      limiter: unlimited,
      metrics: new RestMetrics(noMetrics, "host"),
      warnings: new WarningLog(silentLogger),
      userAgent: "test",
    });
    const client = new ReviewClient({
      ...parts,
      rest,
      random: seededRandom(1),
      metrics: noMetrics,
      purpose: "authn",
    });
    const failed = expect(tokenReviews(client)("t")).rejects.toThrow("took longer than 10000 ms");
    await parts.clock.advanceBy(10_000);
    await failed;
  });
});

describe("SubjectAccessReview", () => {
  const attempt = { user: { name: "jane", groups: ["devs"], uid: "7" }, verb: "get", path: "/metrics" };

  test("what is asked, and what is remembered", async () => {
    const parts = world("authz", (_, asked) => status({ allowed: asked === 1 }));
    const ask = accessReviews({ ...parts, authorizedTtlMs: 10_000, unauthorizedTtlMs: 5_000 });
    expect(await ask(attempt)).toEqual({ result: "allowed" });
    expect(parts.transport.requests[0]?.body).toEqual({
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      metadata: {},
      spec: {
        user: "jane",
        groups: ["devs"],
        uid: "7",
        nonResourceAttributes: { path: "/metrics", verb: "get" },
      },
    });
    await parts.clock.advanceBy(9_999);
    expect(await ask(attempt)).toEqual({ result: "allowed" });
    await parts.clock.advanceBy(2);
    expect(await ask(attempt)).toEqual({ result: "no-opinion" });
    await parts.clock.advanceBy(5_001);
    await ask(attempt);
    expect(parts.transport.requests.length).toBe(3);
  });

  test.each([
    [
      { allowed: false, denied: true, reason: "no" },
      { result: "denied", reason: "no" },
    ],
    [
      { allowed: false, reason: "unknown" },
      { result: "no-opinion", reason: "unknown" },
    ],
    [{ allowed: true, reason: "" }, { result: "allowed" }],
  ])("%j is %j", async (answer, decision) => {
    const parts = world("authz", () => status(answer));
    const ask = accessReviews({ ...parts, authorizedTtlMs: 0, unauthorizedTtlMs: 0 });
    expect(await ask(attempt)).toEqual(decision);
  });

  test("both allowed and denied is no decision", async () => {
    const parts = world("authz", () => status({ allowed: true, denied: true }));
    const ask = accessReviews({ ...parts, authorizedTtlMs: 0, unauthorizedTtlMs: 0 });
    await expect(ask(attempt)).rejects.toThrow("both allowed and denied");
  });

  test("outsized paths are not remembered, nor is anything with a lifetime of 0", async () => {
    const parts = world("authz", () => status({ allowed: true }));
    const ask = accessReviews({ ...parts, authorizedTtlMs: 10_000, unauthorizedTtlMs: 0 });
    const long = { ...attempt, path: `/${"x".repeat(10_000)}` };
    await ask(long);
    await ask(long);
    expect(parts.transport.requests.length).toBe(2);
  });
});
