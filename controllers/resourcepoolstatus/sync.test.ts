import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { V1alpha3ResourcePoolStatusRequest } from "../../pkg/api/types/resource-v1alpha3.gen.ts";
import { internal, notFound } from "../../pkg/apiserver/server/status-error.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { DevicesInWorld, DRIVER, POOL } from "../../test/harness/devices-in-world.ts";
import { poolStatusController } from "./controller.ts";

const NAME = "resourcepoolstatusrequest-controller";
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const requests = resources.resourcePoolStatusRequests;
const ANSWER = "update resourcepoolstatusrequests/status r";

let world: ControllerWorld;
let it: DevicesInWorld;
let metrics: ReturnType<typeof createMetrics>;
let errors: string[];
const log: Logger = { ...silentLogger, error: (error) => void errors.push(String(error)), child: () => log };
beforeEach(async () => {
  errors = [];
  metrics = createMetrics({ version: "1.36.4" });
  world = await newWorld({
    log,
    metrics: metrics.main,
    features: { DRAResourcePoolStatus: true },
    runtimeConfig: ["resource.k8s.io/v1alpha3"],
  });
  it = new DevicesInWorld(world);
});
afterEach(async () => world.stop());

async function ask(spec: { readonly limit?: number; readonly driver?: string } = {}): Promise<void> {
  await world.create<V1alpha3ResourcePoolStatusRequest>(requests, {
    metadata: { name: "r", labels: { mine: "yes" } },
    spec: { driver: DRIVER, ...spec },
  });
}

async function answer(): Promise<V1alpha3ResourcePoolStatusRequest["status"]> {
  await world.run();
  return (await world.get<V1alpha3ResourcePoolStatusRequest>(requests, "r")).status;
}

async function writes(durationMs?: number): Promise<readonly string[]> {
  await world.run(durationMs);
  return world.takeWrites().map(lineOf);
}

const start = async () => world.start(poolStatusController());

/** Past the API, which would not take a status or a time. */
function put(name: string, ageMs: number, status?: object): void {
  const creationTimestamp = formatTime(world.clock.nowMs() - ageMs);
  world.keep(requests, {
    metadata: { name, creationTimestamp },
    spec: { driver: "other.example.com" },
    ...(status !== undefined && { status }),
  } as V1alpha3ResourcePoolStatusRequest);
}

function answeredAgo(ms: number): object {
  const lastTransitionTime = formatTime(world.clock.nowMs() - ms);
  const condition = { type: "Complete", status: "True", reason: "CalculationComplete", message: "" };
  return { poolCount: 0, conditions: [{ ...condition, lastTransitionTime }] };
}

async function counted(name: string): Promise<string | undefined> {
  const shown = await metrics.main.expose();
  const prefix = `resourcepoolstatusrequest_controller_${name}`;
  return new RegExp(`^${prefix}\\{driver_name="${DRIVER}"\\} (\\S+)`, "m").exec(shown)?.[1];
}

// upstream: pkg/controller/resourcepoolstatusrequest/controller_test.go#TestSyncRequest, #TestSkipProcessedRequest, #TestSyncRequestRequeuesIncompletePool
describe("a request", () => {
  test("is answered once, by what there is then", async () => {
    await it.slice({ a: [], b: [], c: [] });
    await it.slice({ x: [] }, { name: "elsewhere", pool: "other" });
    await it.allocate({ devices: ["a"] });
    await it.allocate({ name: "second", devices: ["b", "c"] });
    await start();
    await ask();
    const answered = await answer();
    expect(answered).toMatchObject({
      poolCount: 2,
      pools: [
        { poolName: "other", totalDevices: 1, allocatedDevices: 0, availableDevices: 1 },
        { poolName: POOL, totalDevices: 3, allocatedDevices: 3, availableDevices: 0, nodeName: POOL },
      ],
      conditions: [{ type: "Complete", message: "Calculated status for 2 pools" }],
    });
    expect(await writes()).toEqual([ANSWER]);
    await it.slice({ y: [] }, { name: "new", pool: "new" });
    await world.update(requests, "r", (request) => ({
      ...request,
      metadata: { ...request.metadata, labels: {} },
    }));
    expect(await writes(MINUTE_MS)).toEqual([]);
    expect(await answer()).toEqual(answered);
  });

  test("that was there before is answered, and one that has its answer is not", async () => {
    await ask();
    put("done", 0, answeredAgo(0));
    await start();
    expect(await writes()).toEqual([ANSWER]);
  });

  test("of another driver is told of no pools", async () => {
    await it.slice({ a: [] });
    await ask({ driver: "nobody.example.com" });
    await start();
    const answered = await answer();
    expect([answered?.poolCount, answered?.pools]).toEqual([0, undefined]);
  });

  test("is told what claims have that came, changed and went", async () => {
    await it.slice({ a: [], b: [] });
    await it.allocate({ devices: ["a"] });
    await it.allocate({ name: "second", devices: ["b"] });
    await start();
    await world.delete(resources.resourceClaims, "second");
    await world.run();
    await ask();
    expect((await answer())?.pools?.[0]).toMatchObject({ allocatedDevices: 1, availableDevices: 1 });
  });

  test("waits a moment for slices that are missing, and is given up after five more tries", async () => {
    await world.create(resources.resourceSlices, {
      metadata: { name: "half" },
      spec: {
        driver: DRIVER,
        nodeName: POOL,
        pool: { name: POOL, generation: 1, resourceSliceCount: 2 },
        devices: [{ name: "a" }],
      },
    });
    const set = await start();
    await ask();
    const syncs = (): number | undefined =>
      set.health().get(NAME)?.pools["resource_pool_status_requests"]?.syncs;
    expect(await writes(MINUTE_MS)).toEqual([]);
    expect(syncs()).toBe(6);
    expect(errors.every((each) => each.includes("is incomplete: observed 1/2 slices at generation 1"))).toBe(
      true,
    );
    expect(await counted("requests_processed_total")).toBeUndefined();
    await world.update(requests, "r", (request) => ({
      ...request,
      metadata: { ...request.metadata, labels: {} },
    }));
    await world.delete(resources.resourceSlices, "half");
    await writes();
    expect((await answer())?.poolCount).toBe(0);
  });

  test("is tried again when its answer cannot be written", async () => {
    world.server.parts.faults.add({
      target: { verb: "update", resource: "resourcepoolstatusrequests", subresource: "status" },
      action: { kind: "status", when: "before", error: internal("down") },
      times: 2,
    });
    await start();
    await ask();
    expect(await writes()).toEqual([ANSWER, ANSWER, ANSWER]);
    expect(await counted("requests_processed_total")).toBe("3");
    expect(await counted("request_processing_errors_total")).toBe("2");
    expect(await counted("request_processing_duration_seconds_count")).toBe("3");
  });

  // upstream: pkg/controller/resourcepoolstatusrequest/metrics/metrics_test.go
  test("is counted when it is answered, by its driver", async () => {
    await start();
    await ask();
    await world.run();
    expect(await counted("requests_processed_total")).toBe("1");
    expect(await counted("request_processing_errors_total")).toBeUndefined();
    expect(await counted("request_processing_duration_seconds_count")).toBe("1");
    const buckets = [...(await metrics.main.expose()).matchAll(/duration_seconds_bucket\{.*le="(.*?)"/g)];
    const bounds = buckets.map(([, bound]) => bound);
    expect([bounds[0], bounds.at(-2), bounds.length]).toEqual(["0.001", "16.384", 16]);
  });
});

// upstream: the same file, #TestCleanupExpiredRequests
describe("old requests", () => {
  const gone = (name: string): string => `delete resourcepoolstatusrequests ${name}`;

  test("go at the start, and every ten minutes", async () => {
    put("done", 0, answeredAgo(2 * HOUR_MS));
    put("young", 9 * HOUR_MS, answeredAgo(HOUR_MS - 5 * MINUTE_MS));
    await start();
    const first = world.takeWrites();
    expect(first.map(lineOf)).toEqual([gone("done")]);
    expect(first[0]?.body).toMatchObject({ preconditions: { uid: "uid-done" } });
    expect(await writes(9 * MINUTE_MS)).toEqual([]);
    expect(await writes(MINUTE_MS)).toEqual([gone("young")]);
  });

  test("that nobody could answer go after a day", async () => {
    await it.slice({ a: [] }, { generation: 1 });
    await world.update(resources.resourceSlices, "slice", (slice) => ({
      ...slice,
      spec: { ...slice.spec, pool: { ...slice.spec.pool, generation: 2, resourceSliceCount: 2 } },
    }));
    await start();
    await ask();
    expect(await writes(24 * HOUR_MS)).toEqual([]);
    expect(await writes(11 * MINUTE_MS)).toEqual([gone("r")]);
  });

  test("that cannot be deleted go in the next round, and do not keep others", async () => {
    for (const name of ["a", "b"]) put(name, 0, answeredAgo(2 * HOUR_MS));
    const target = { verb: "delete", resource: "resourcepoolstatusrequests" } as const;
    const error = internal("down");
    world.server.parts.faults.add({ target, action: { kind: "status", when: "before", error }, times: 1 });
    await start();
    expect(await writes()).toEqual([gone("a"), gone("b")]);
    expect(errors).toEqual([expect.stringContaining("down")]);
    expect(await writes(10 * MINUTE_MS)).toEqual([gone("a")]);
  });

  test("that are gone already are no trouble", async () => {
    put("a", 0, answeredAgo(2 * HOUR_MS));
    const target = { verb: "delete", resource: "resourcepoolstatusrequests" } as const;
    const error = notFound(requests, "a");
    world.server.parts.faults.add({ target, action: { kind: "status", when: "before", error } });
    await start();
    expect([await writes(), errors]).toEqual([[gone("a")], []]);
  });
});

test("it runs under the name and behind the gate that upstream has for it", async () => {
  const { clientName, eventSource, featureGates, name } = poolStatusController();
  expect([name, clientName, eventSource, featureGates]).toEqual([
    NAME,
    NAME,
    undefined,
    ["DRAResourcePoolStatus"],
  ]);
  await start();
  expect(await metrics.main.expose()).not.toContain("workqueue_adds_total");
});
