import { expect, test } from "vitest";
import type { FakeAnswer } from "../../test/harness/fake-transport.ts";
import { FakeTransport } from "../../test/harness/fake-transport.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { silentLogger } from "../log/logger.ts";
import { noMetrics } from "../metrics/metrics.ts";
import { clientBuilder, sharedTransports } from "./client-builder.ts";
import type { Credentials, TlsMaterial } from "./http/identity.ts";
import { ServiceAccountIdentity } from "./service-account-identity.ts";
import type { TransportRequest } from "./transport.ts";

const TOKEN = "POST /api/v1/namespaces/kube-system/serviceaccounts/job-controller/token";
const GET_ACCOUNT = "GET /api/v1/namespaces/kube-system/serviceaccounts/job-controller";

function setup(
  answer: (request: TransportRequest, tokens: number) => FakeAnswer | undefined = () => undefined,
): {
  clock: VirtualClock;
  transport: FakeTransport;
  identity: ServiceAccountIdentity;
  base: { tls: TlsMaterial };
} {
  const clock = new VirtualClock();
  let tokens = 0;
  const transport = new FakeTransport((request) => {
    const special = answer(request, tokens);
    if (special !== undefined) return special;
    if (!request.path.endsWith("/token")) return { body: objectAt(request.path) };
    return { body: { spec: { expirationSeconds: 3_600 }, status: { token: `token-${++tokens}` } } };
  });
  const builder = clientBuilder({
    transports: sharedTransports(transport),
    clock,
    log: silentLogger,
    metrics: noMetrics,
    host: "host",
    userAgent: "kcm",
    qps: 1_000,
    burst: 1_000,
  });
  const base = {
    tls: { ca: Buffer.from("CA"), cert: Buffer.from("CERT"), key: Buffer.from("KEY") } as TlsMaterial,
  };
  const identity = new ServiceAccountIdentity({
    namespace: "kube-system",
    name: "job-controller",
    issuer: builder.client("issuer"),
    base: {
      credentials: async (): Promise<Credentials> => ({ headers: { authorization: "Basic x" }, ...base }),
      renew: async () => false,
    },
    clock,
    log: silentLogger,
  });
  return { clock, transport, identity, base };
}

function objectAt(path: string): object {
  const kind = path.includes("serviceaccounts") ? "ServiceAccount" : "Namespace";
  return { apiVersion: "v1", kind, metadata: {} };
}

const bearer = ({ headers }: Credentials): unknown => headers["authorization"];

test("asks once for a token of an hour, and again at 80 % of its life", async () => {
  const { clock, transport, identity } = setup();
  const [first, same] = await Promise.all([identity.credentials(), identity.credentials()]);
  expect(same).toBe(first);
  expect(bearer(first)).toBe("Bearer token-1");
  expect(transport.lines).toEqual([GET_ACCOUNT, TOKEN]);
  expect(transport.requests[1]?.body).toMatchObject({
    kind: "TokenRequest",
    spec: { expirationSeconds: 3_600 },
  });
  await clock.advanceBy(0.8 * 3_600_000 - 1);
  clock.jumpWallClock(86_400_000);
  expect(await identity.credentials()).toBe(first);
  await clock.advanceBy(1);
  expect(await identity.credentials()).toBe(first);
  await clock.advanceBy(0);
  const second = await identity.credentials();
  expect(bearer(second)).toBe("Bearer token-2");
  expect(second.tls).toBe(first.tls);
});

test("trusts whom the configured user trusts, but never shows that user's certificate", async () => {
  const { identity, base } = setup();
  const first = await identity.credentials();
  expect(first.tls).toEqual({ ca: Buffer.from("CA") });
  base.tls = { ca: Buffer.from("CA 2"), cert: Buffer.from("CERT") };
  expect((await identity.credentials()).tls).toEqual({ ca: Buffer.from("CA 2") });
});

test("creates the account and its namespace when they are absent", async () => {
  const { transport, identity } = setup(({ method }) =>
    method === "GET" ? { status: 404, body: "" } : undefined,
  );
  await identity.credentials();
  expect(transport.lines).toEqual([
    GET_ACCOUNT,
    "GET /api/v1/namespaces/kube-system",
    "POST /api/v1/namespaces",
    "POST /api/v1/namespaces/kube-system/serviceaccounts",
    TOKEN,
  ]);
});

test("does without a look at the namespace when that is forbidden, and without creating what another has created", async () => {
  const { identity } = setup(({ method, path }) => {
    if (path === "/api/v1/namespaces/kube-system") return { status: 403, body: "" };
    if (method === "GET") return { status: 404, body: "" };
    return path.endsWith("/serviceaccounts") ? { status: 409, body: "" } : undefined;
  });
  expect(bearer(await identity.credentials())).toBe("Bearer token-1");
});

test("tries four times, with growing pauses, then fails; the next request tries anew", async () => {
  let down = true;
  const { clock, transport, identity } = setup(({ path }) =>
    down && path.endsWith("/token") ? { status: 500, body: "" } : undefined,
  );
  let failure: unknown;
  void Promise.resolve(identity.credentials()).catch((error: unknown) => (failure = error));
  await clock.runUntil(() => failure !== undefined);
  expect(failure).toMatchObject({ code: "credentials", sent: false });
  expect(clock.monotonicMs()).toBe(500 + 1_000 + 2_000);
  expect(transport.lines.filter((line) => line === TOKEN)).toHaveLength(4);
  down = false;
  expect(bearer(await identity.credentials())).toBe("Bearer token-1");
});

test("while no other token can be had the old one is used up, and tried for again and again", async () => {
  let down = false;
  const { clock, transport, identity } = setup(({ path }) =>
    down && path.endsWith("/token") ? { status: 503, body: "" } : undefined,
  );
  await identity.credentials();
  down = true;
  await clock.advanceBy(0.8 * 3_600_000);
  const asked = transport.requests.length;
  for (let second = 0; second < 719; second++) {
    expect(bearer(await identity.credentials())).toBe("Bearer token-1");
    await clock.advanceBy(1_000);
  }
  const tries = transport.lines.slice(asked).filter((line) => line === TOKEN).length;
  expect(tries).toBeGreaterThan(150);
  expect(tries).toBeLessThan(300);
  await clock.advanceBy(1_000);
  let failure: unknown;
  void Promise.resolve(identity.credentials()).catch((error: unknown) => (failure = error));
  await clock.runUntil(() => failure !== undefined);
  expect(failure).toMatchObject({ code: "credentials" });
  down = false;
  expect(bearer(await identity.credentials())).toBe("Bearer token-2");
});

test("a token that was rejected is not used up", async () => {
  let down = false;
  const { clock, identity } = setup(({ path }) =>
    down && path.endsWith("/token") ? { status: 503, body: "" } : undefined,
  );
  const rejected = await identity.credentials();
  down = true;
  let failure: unknown;
  void identity.renew(rejected).catch((error: unknown) => (failure = error));
  await clock.runUntil(() => failure !== undefined);
  expect(failure).toMatchObject({ code: "credentials" });
});

test("a 401 gets another token, once for however many requests", async () => {
  const { identity } = setup();
  const rejected = await identity.credentials();
  expect(await Promise.all([identity.renew(rejected), identity.renew(rejected)])).toEqual([true, true]);
  expect(await identity.renew(rejected)).toBe(true);
  expect(bearer(await identity.credentials())).toBe("Bearer token-2");
});

test("clients carry their name in the user agent and have limiters of their own", async () => {
  const clock = new VirtualClock();
  const transport = new FakeTransport(() => ({}));
  const builder = clientBuilder({
    transports: sharedTransports(transport),
    clock,
    log: silentLogger,
    metrics: noMetrics,
    host: "host",
    userAgent: "kcm/v1",
    qps: 1,
    burst: 1,
  });
  const get = { method: "GET", path: "/version" } as const;
  await builder.client("a").rest.json(get);
  await builder.client("b").rest.json(get);
  const wide = builder.client("c", { burstFactor: 2 });
  await Promise.all([wide.rest.json(get), wide.rest.json(get)]);
  expect(transport.requests.map(({ headers }) => headers?.["user-agent"])).toEqual([
    "kcm/v1/a",
    "kcm/v1/b",
    "kcm/v1/c",
    "kcm/v1/c",
  ]);
  await builder.close();
  expect(transport.closed).toBe(true);
});
