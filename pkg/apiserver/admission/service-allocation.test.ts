import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { seededRandom } from "../../clock/random.ts";
import { embeddedServer } from "../embedded-server.ts";
import type { ApiServer } from "../server/api-server.ts";
import { Store } from "../storage/store.ts";
import { builtInAdmission } from "./built-in-admission.ts";

const services = "/api/v1/namespaces/n/services";

interface Service {
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort: number }[] };
}

async function startServer(): Promise<ApiServer> {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const store = new Store({ clock });
  // Of four addresses and a broadcast, one is left to be given away besides that of the service `kubernetes`.
  const admission = builtInAdmission({
    store,
    clock,
    random,
    serviceCidr: "10.0.0.0/29",
    serviceAccounts: false,
  });
  const server = embeddedServer({ clock, random, store, admission });
  await send(server, "POST", "/api/v1/namespaces", { metadata: { name: "n" } });
  return server;
}

async function send(
  server: ApiServer,
  method: string,
  path: string,
  value: object,
): Promise<{ readonly status: number; readonly body: Service }> {
  const headers = {
    "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
  };
  const { status, body } = await server.handle({
    method,
    path,
    query: new URLSearchParams(),
    headers,
    body: { value },
  });
  return { status, body: (body.kind === "object" ? body.value : {}) as Service };
}

const make = async (server: ApiServer, name: string, more: object = {}): ReturnType<typeof send> =>
  send(server, "POST", services, { metadata: { name }, spec: { ports: [{ port: 80 }], ...more } });
const withPort = (nodePort: number): object => ({ type: "NodePort", ports: [{ port: 80, nodePort }] });

test("of two that ask for one node port at the same time, one gets it", async () => {
  const server = await startServer();
  const answers = await Promise.all([
    make(server, "a", withPort(30_001)),
    make(server, "b", withPort(30_001)),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([201, 422]);
});

test("of two that ask for one address at the same time, one gets it", async () => {
  const server = await startServer();
  const clusterIP = "10.0.0.3";
  const answers = await Promise.all([make(server, "a", { clusterIP }), make(server, "b", { clusterIP })]);
  expect(answers.map(({ status }) => status)).toEqual([201, 422]);
});

test("those that are made at the same time have addresses and ports of their own", async () => {
  const server = await startServer();
  const names = ["a", "b", "c", "d", "e"];
  const answers = await Promise.all(names.map(async (name) => make(server, name, { type: "NodePort" })));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  expect(new Set(answers.map(({ body }) => body.spec.clusterIP)).size).toBe(5);
  expect(new Set(answers.map(({ body }) => body.spec.ports[0]?.nodePort)).size).toBe(5);
});

test("a service that is refused, or only tried, gives back what it was to have", async () => {
  const server = await startServer();
  for (let attempt = 0; attempt < 300; attempt++) {
    const refused = await make(server, "a", { ...withPort(30_001), sessionAffinity: "Nonsense" });
    expect(refused.status).toBe(422);
  }
  expect((await make(server, "a", withPort(30_001))).status).toBe(201);
});

test("a change that asks for what another one is about to have is refused", async () => {
  const server = await startServer();
  await make(server, "a", { type: "NodePort" });
  const patched = send(server, "PATCH", `${services}/a`, {
    spec: { ports: [{ port: 80, nodePort: 30_005 }] },
  });
  const [changed, made] = await Promise.all([patched, make(server, "b", withPort(30_005))]);
  expect([changed.status, made.status].filter((status) => status === 422)).toHaveLength(1);
});

describe("the addresses of ServiceCIDRs", () => {
  const cidrs = "/apis/networking.k8s.io/v1/servicecidrs";
  const statusOf = (isReady: boolean): object => ({
    conditions: [
      {
        type: "Ready",
        status: isReady ? "True" : "False",
        reason: "Test",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ],
  });

  async function serverWith(range: { readonly isReady: boolean; readonly finalizers?: readonly string[] }) {
    const server = await startServer();
    const { isReady, finalizers = [] } = range;
    await send(server, "POST", cidrs, {
      metadata: { name: "more", finalizers },
      spec: { cidrs: ["10.9.0.0/28"] },
    });
    await send(server, "PATCH", `${cidrs}/more/status`, { status: statusOf(isReady) });
    return server;
  }

  test("are given as long as the range is ready", async () => {
    const server = await serverWith({ isReady: true });
    expect((await make(server, "a")).body.spec.clusterIP).toMatch(/^10\.9\.0\./);
    expect((await make(server, "b", { clusterIP: "10.9.0.7" })).status).toBe(201);
    expect((await make(server, "c", { clusterIP: "10.0.0.3" })).status).toBe(422);
    await send(server, "PATCH", `${cidrs}/more/status`, { status: statusOf(false) });
    expect((await make(server, "d")).body.spec.clusterIP).toMatch(/^10\.0\.0\./);
  });

  test.each([
    ["is not ready", false, false],
    ["is going away", true, true],
  ])("are not given while the range %s", async (_, isReady, isGoing) => {
    const server = await serverWith({ isReady, finalizers: ["example.com/hold"] });
    if (isGoing) await send(server, "DELETE", `${cidrs}/more`, {});
    expect((await make(server, "a")).body.spec.clusterIP).toMatch(/^10\.0\.0\./);
    expect((await make(server, "b", { clusterIP: "10.9.0.7" })).status).toBe(422);
  });

  test("come from the next range when one is full", async () => {
    const server = await serverWith({ isReady: true });
    await send(server, "POST", cidrs, { metadata: { name: "yet-more" }, spec: { cidrs: ["10.8.0.0/28"] } });
    await send(server, "PATCH", `${cidrs}/yet-more/status`, { status: statusOf(true) });
    const given: string[] = [];
    for (let index = 0; index < 26; index++) {
      const { status, body } = await make(server, `s-${index}`);
      expect(status).toBe(201);
      given.push(body.spec.clusterIP);
    }
    expect(new Set(given).size).toBe(26);
    expect((await make(server, "one-too-many")).status).toBe(500);
  });
});
