import { afterEach, describe, expect, test } from "vitest";
import { garbageCollectorController } from "../../../../controllers/garbagecollector/controller.ts";
import { namespaceController } from "../../../../controllers/namespace/controller.ts";
import type { ApiObject } from "../../../../pkg/api/object.ts";
import { resources } from "../../../../pkg/api/resources.ts";
import type { Transport } from "../../../../pkg/client/transport.ts";
import { internal } from "../../../../pkg/apiserver/server/status-error.ts";
import { silentLogger } from "../../../../pkg/log/logger.ts";
import {
  type ControllerWorld,
  newWorld,
  type WorldOptions,
} from "../../../../test/harness/controller-world.ts";
import { HealthChecks, type HealthEndpoint } from "../../../../pkg/manager/health/health.ts";
import { leaseCheck } from "../../../../pkg/manager/health/lease-health.ts";
import { checksOf } from "../../../../pkg/manager/health/set-health.ts";

const MINUTE_MS = 60_000;
const MAX_SYNC_MS = 5 * MINUTE_MS;
/** As kubeadm has it: /healthz every ten seconds, and eight failures in a row restart the container. */
const PERIOD_MS = 10_000;
const THRESHOLD = 8;

let world: ControllerWorld;
afterEach(async () => world.stop());

interface Probed {
  /** How often kubelets would have restarted the program that asks for life at these paths. */
  readonly restarts: Readonly<Record<"healthz" | "livez", number>>;
  /** What /readyz answered in the end. */
  readonly ready: string;
  readonly wasUnready: boolean;
}

async function start(options: WorldOptions = {}): Promise<HealthChecks> {
  world = await newWorld(options);
  const set = await world.start(
    garbageCollectorController({ workers: 3 }),
    namespaceController({ workers: 2, syncPeriodMs: 300_000 }),
  );
  const checks = new HealthChecks(() => undefined, silentLogger);
  checks.add(...checksOf(set, { clock: world.clock, maxSyncMs: MAX_SYNC_MS }));
  return checks;
}

async function probe(checks: HealthChecks, minutes: number): Promise<Probed> {
  const failed = { healthz: 0, livez: 0 };
  const restarts = { healthz: 0, livez: 0 };
  const ask = (endpoint: HealthEndpoint): ReturnType<HealthChecks["answer"]> =>
    checks.answer(endpoint, { verbose: true, excluded: [] });
  let wasUnready = false;
  for (let ms = 0; ms < minutes * MINUTE_MS; ms += PERIOD_MS) {
    for (const endpoint of ["healthz", "livez"] as const) {
      failed[endpoint] = ask(endpoint).status === 200 ? 0 : failed[endpoint] + 1;
      if (failed[endpoint] === THRESHOLD) restarts[endpoint]++;
    }
    wasUnready ||= ask("readyz").status !== 200;
    await world.run(PERIOD_MS);
  }
  return { restarts, ready: ask("readyz").text, wasUnready };
}

const none = { healthz: 0, livez: 0 };

describe("for half an hour the probes of kubeadm restart nothing", () => {
  test("while a resource cannot be listed, as with a broken conversion webhook; /readyz says so", async () => {
    const checks = await start();
    world.server.parts.faults.add({
      target: { resource: "widgets" },
      action: { kind: "status", when: "before", error: internal("conversion webhook failed") },
    });
    await world.client.dynamic(resources.customResourceDefinitions).create(widgets);
    await world.run(MINUTE_MS);
    const { restarts, ready } = await probe(checks, 30);
    expect(restarts).toEqual(none);
    expect(ready).toContain("[-]informer-sync failed");
    expect(checks.answerOne("readyz", "informer-sync")?.text).toContain("widgets.example.com");
  });

  test("before an API server without bookmarks, where nothing happens; /readyz finds nothing wrong", async () => {
    const checks = await start({ transport: withoutBookmarks });
    await world.run(MINUTE_MS);
    expect(await probe(checks, 30)).toMatchObject({ restarts: none, wasUnready: false });
  });

  test("during work on one object that takes longer than five minutes and goes on; /readyz, too", async () => {
    const checks = await start({ qps: 1 });
    const owner = await world.create(resources.configMaps, { metadata: { name: "owner" } });
    const { uid = "" } = owner.metadata;
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
    for (let index = 0; index < 1_000; index++)
      await world.create(resources.configMaps, { metadata: { name: `child-${index}`, ownerReferences } });
    await world.run(MINUTE_MS);
    const ref = { namespace: "default", name: "owner" };
    await world.client.clientFor(resources.configMaps).delete(ref, { propagationPolicy: "Orphan" });
    const midway = await probe(checks, 6);
    expect(midway).toMatchObject({ restarts: none, wasUnready: false });
    const orphans = (await world.list(resources.configMaps)).filter(
      ({ metadata }) => metadata.ownerReferences === undefined,
    );
    expect(orphans.length).toBeGreaterThan(300);
    expect(orphans.length).toBeLessThan(1_000);
    expect(await probe(checks, 24)).toMatchObject({ restarts: none, wasUnready: false });
    expect(await world.list(resources.configMaps)).toHaveLength(1_000);
  });
});

test("work that nothing is heard of shows at /readyz, and restarts nothing either", async () => {
  const checks = await start();
  await world.client.clientFor(resources.namespaces).create({ metadata: { name: "stuck" } });
  world.server.parts.faults.add({
    target: { verb: "deletecollection" },
    action: { kind: "latency", ms: 60 * MINUTE_MS },
  });
  await world.client.clientFor(resources.namespaces).delete({ name: "stuck" });
  const { restarts, ready } = await probe(checks, 30);
  expect(restarts).toEqual(none);
  expect(ready).toContain("[-]namespace-controller failed");
});

test("a leader that does not renew its Lease is restarted", async () => {
  const checks = await start();
  checks.add(leaseCheck("leaderElection", { checkHealth: () => new Error("not renewed") }));
  expect((await probe(checks, 30)).restarts).toEqual({ healthz: 1, livez: 1 });
});

/** As with --watch-cache=false: no bookmarks, and no initial events, whose end is one. */
function withoutBookmarks(server: Transport): Transport {
  return {
    send: async (request, signal) => {
      const query = new URLSearchParams(request.query);
      if (query.has("sendInitialEvents")) query.set("resourceVersionMatch", "Exact");
      query.delete("allowWatchBookmarks");
      return server.send({ ...request, query }, signal);
    },
    close: async () => server.close(),
  };
}

const widgets = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget", listKind: "WidgetList", singular: "widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
} as ApiObject;
