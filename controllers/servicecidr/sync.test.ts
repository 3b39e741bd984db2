import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { IPAddress, ServiceCIDR } from "../../pkg/api/types/networking-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { parseIp } from "../../pkg/endpoints/ip-address.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { serviceCidrController } from "./controller.ts";

const { ipAddresses, serviceCIDRs } = resources;
const FINALIZER = "networking.k8s.io/service-cidr-finalizer";
/** Keeps what is deleted, so that it can be looked at. */
const OTHER = "example.com/test";
const RANGES = ["192.168.0.0/24", "2001:db2::/64"];
const PATCH = "patch servicecidrs own";
const STATUS = "patch servicecidrs/status own";
const READY = { type: "Ready", status: "True", reason: "", message: "Kubernetes Service CIDR is ready" };
const TERMINATING = {
  type: "Ready",
  status: "False",
  reason: "Terminating",
  message:
    "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
};

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

const start = async () => world.start(serviceCidrController());

async function create(name: string, ...cidrs: readonly string[]): Promise<void> {
  await world.create<ServiceCIDR>(serviceCIDRs, { metadata: { name }, spec: { cidrs } });
}

/** One that has been deleted for so long. */
function keepDeleted(agoMs: number, finalizers = [FINALIZER, OTHER]): void {
  const deletionTimestamp = formatTime(world.clock.nowMs() - agoMs);
  world.keep<ServiceCIDR>(serviceCIDRs, {
    metadata: { name: "own", finalizers, deletionTimestamp },
    spec: { cidrs: RANGES },
  });
}

async function give(name: string, managedBy = "ipallocator.k8s.io"): Promise<void> {
  await world.create<IPAddress>(ipAddresses, {
    metadata: {
      name,
      labels: {
        "ipaddress.kubernetes.io/ip-family": parseIp(name)?.family ?? "",
        "ipaddress.kubernetes.io/managed-by": managedBy,
      },
    },
    spec: { parentRef: { resource: "services", namespace: "default", name: "s" } },
  });
}

async function writes(durationMs = 2_000): Promise<readonly string[]> {
  await world.run(durationMs);
  return world
    .takeWrites()
    .map(lineOf)
    .filter((line) => line.endsWith(" own"));
}

const get = async () => world.get<ServiceCIDR>(serviceCIDRs, "own");
async function conditions(): Promise<readonly unknown[]> {
  const { conditions: written = [] } = (await get()).status ?? {};
  return written.map(({ type, status, reason, message }) => ({ type, status, reason, message }));
}

// upstream: pkg/controller/servicecidrs/servicecidrs_controller_test.go#TestControllerSync
describe("a ServiceCIDR", () => {
  interface Case {
    /** Since when it is being deleted; absent: it is not. */
    readonly agoMs?: number;
    readonly other?: readonly string[];
    readonly address?: string;
    readonly writes: readonly string[];
  }
  const agoMs = 11_000;
  test.each<[string, Case]>([
    ["gets the finalizer and is ready", { writes: [PATCH, STATUS] }],
    ["that is deleted loses the finalizer", { agoMs, writes: [PATCH] }],
    ["that was just deleted waits", { agoMs: 0, writes: [] }],
    ["stays for an IPv4 address", { agoMs, address: "192.168.0.1", writes: [STATUS] }],
    ["goes beside an equal one", { agoMs, other: RANGES, address: "192.168.0.1", writes: [PATCH] }],
    [
      "goes within a larger one",
      { agoMs, other: ["192.168.0.0/16", "2001:db2::/64"], address: "192.168.0.1", writes: [PATCH] },
    ],
    [
      "stays beside one elsewhere",
      { agoMs, other: ["192.168.255.0/26", "2001:db2::/64"], address: "192.168.0.1", writes: [STATUS] },
    ],
    ["stays for an IPv6 address", { agoMs, address: "2001:db2::1", writes: [STATUS] }],
    ["goes beside one of equal IPv6", { agoMs, other: RANGES, address: "2001:db2::1", writes: [PATCH] }],
    [
      "goes within one of larger IPv6",
      { agoMs, other: ["192.168.0.0/16", "2001:db2::/48"], address: "2001:db2::1", writes: [PATCH] },
    ],
    [
      "stays beside one of IPv6 elsewhere",
      { agoMs, other: ["192.168.255.0/26", "2001:db2:a:b::/64"], address: "2001:db2::1", writes: [STATUS] },
    ],
  ])("%s", async (_, { agoMs: deletedMs, other, address, writes: expected }) => {
    if (deletedMs === undefined) await create("own", ...RANGES);
    else keepDeleted(deletedMs);
    if (other !== undefined) await create("overlapping", ...other);
    if (address !== undefined) await give(address);
    await start();
    expect(await writes()).toEqual(expected);
    const hasFinalizer = (await get()).metadata.finalizers?.includes(FINALIZER);
    expect(hasFinalizer).toBe(deletedMs === undefined || !expected.includes(PATCH));
    const condition = deletedMs === undefined ? READY : TERMINATING;
    expect(await conditions()).toEqual(expected.includes(STATUS) ? [condition] : []);
  });
});

test("nothing is written of none, and of one that is ready already", async () => {
  await start();
  expect(world.takeWrites()).toEqual([]);
  await create("own", ...RANGES);
  expect(await writes()).toEqual([PATCH, STATUS]);
  await start();
  expect(await writes(60_000)).toEqual([]);
});

test.each([
  ["of another status", { status: "Unknown" }],
  ["with a reason", { reason: "Test" }],
  ["in other words", { message: "Kubernetes default Service CIDR is ready" }],
])("a condition %s is not what is to be said", async (_, change) => {
  world.keep<ServiceCIDR>(serviceCIDRs, {
    metadata: { name: "own", finalizers: [FINALIZER] },
    spec: { cidrs: RANGES },
    status: { conditions: [{ ...READY, lastTransitionTime: formatTime(world.clock.nowMs()), ...change }] },
  });
  await start();
  expect(await writes()).toEqual([STATUS]);
  expect(await conditions()).toEqual([READY]);
});

test("one that is ready says so no more when it is deleted and has to stay", async () => {
  await create("own", ...RANGES);
  await give("192.168.0.1");
  await start();
  await world.delete(serviceCIDRs, "own");
  await world.run(20_000);
  expect(await conditions()).toEqual([TERMINATING]);
});

test("what is written names the very ServiceCIDR, and who applies it", async () => {
  await create("own", ...RANGES);
  const { uid } = (await get()).metadata;
  await start();
  const [first, second] = world.takeWrites();
  expect(first?.body).toEqual({ metadata: { uid, finalizers: [FINALIZER] } });
  expect(second?.body).toMatchObject({ metadata: { name: "own", uid } });
  expect(
    (await get()).metadata.managedFields?.map(({ manager, operation, subresource }) => [
      manager,
      operation,
      subresource,
    ]),
  ).toContainEqual(["service-cidr-controller", "Apply", "status"]);
});

test("a ServiceCIDR goes ten seconds after its deletion, and not before", async () => {
  await create("own", ...RANGES);
  await start();
  await world.delete(serviceCIDRs, "own");
  world.takeWrites();
  expect(await writes(8_000)).toEqual([]);
  expect(await writes(3_000)).toEqual([PATCH]);
  await expect(get()).rejects.toThrow("not found");
});

describe("a ServiceCIDR that stays for an address", () => {
  beforeEach(async () => {
    keepDeleted(11_000);
    await give("192.168.0.1");
    await start();
    expect(await writes()).toEqual([STATUS]);
    expect(await writes(600_000)).toEqual([]);
  });

  test("goes with the address", async () => {
    await world.delete(ipAddresses, "192.168.0.1");
    expect(await writes()).toEqual([PATCH]);
  });

  test("goes when the address is not of a Service any more", async () => {
    await world.update<IPAddress>(ipAddresses, "192.168.0.1", (address) => ({
      ...address,
      metadata: { ...address.metadata, labels: {} },
    }));
    expect(await writes()).toEqual([PATCH]);
  });

  test("goes when another has the address", async () => {
    await create("other", "192.168.0.0/28");
    expect(await writes()).toEqual([PATCH]);
  });

  test("goes when another has got the address", async () => {
    await create("other", "2001:db2::/64");
    expect(await writes()).toEqual([]);
    await world.update<ServiceCIDR>(serviceCIDRs, "other", (other) => ({
      ...other,
      spec: { cidrs: ["2001:db2::/64", "192.168.0.0/28"] },
    }));
    expect(await writes()).toEqual([PATCH]);
  });

  test("goes though caches have heard nothing of it for a while", async () => {
    const show = world.hideEvents("ipaddresses");
    await world.delete(ipAddresses, "192.168.0.1");
    expect(await writes()).toEqual([]);
    show();
    expect(await writes(60_000)).toEqual([PATCH]);
  });
});

test("an address that a Service gets while a ServiceCIDR is on its way keeps it", async () => {
  keepDeleted(0);
  await give("192.168.0.9", "somebody-else");
  await start();
  await give("192.168.0.1");
  expect(await writes(20_000)).toEqual([STATUS]);
  expect(await conditions()).toEqual([TERMINATING]);
});

test("addresses wake no ServiceCIDR that stays anyway", async () => {
  await create("own", ...RANGES);
  const set = await start();
  const syncs = () => set.health().get("service-cidr-controller")?.pools["ipaddresses"]?.syncs;
  const before = syncs();
  for (let each = 1; each < 50; each++) await give(`192.168.0.${each}`);
  await world.run();
  expect([before !== undefined, syncs()]).toEqual([true, before]);
});

test("a status that is refused is told of, and tried again", async () => {
  await create("own", ...RANGES);
  world.server.parts.faults.add({
    target: { verb: "patch", resource: "servicecidrs", subresource: "status" },
    action: { kind: "status", when: "before", error: internal("no") },
    times: 1,
  });
  await start();
  expect(await writes()).toEqual([PATCH, STATUS, STATUS]);
  expect(await world.events()).toEqual([
    "KubernetesServiceCIDRError The ServiceCIDR Status can not be set to Ready=True",
  ]);
  expect(await conditions()).toEqual([READY]);
});

test("a finalizer that cannot be taken off is taken off later", async () => {
  keepDeleted(11_000);
  world.server.parts.faults.add({
    target: { verb: "patch", resource: "servicecidrs" },
    action: { kind: "status", when: "before", error: internal("no") },
    times: 1,
  });
  await start();
  expect(await writes()).toEqual([PATCH, PATCH]);
  expect((await get()).metadata.finalizers).toEqual([OTHER]);
});

test("another one that has its name meanwhile is not written for it", async () => {
  keepDeleted(11_000, [FINALIZER]);
  world.server.parts.faults.add({
    target: { verb: "patch", resource: "servicecidrs" },
    action: {
      kind: "interfere",
      run: async () => {
        await world.update<ServiceCIDR>(serviceCIDRs, "own", (own) => ({
          ...own,
          metadata: { ...own.metadata, finalizers: [] },
        }));
        await world.create<ServiceCIDR>(serviceCIDRs, {
          metadata: { name: "own", finalizers: [FINALIZER] },
          spec: { cidrs: RANGES },
        });
      },
    },
    times: 1,
  });
  await start();
  await world.run(60_000);
  expect((await get()).metadata.finalizers).toEqual([FINALIZER]);
  expect(await conditions()).toEqual([READY]);
  expect(await world.events()).toEqual([]);
});

test("one that is gone before its status is written is no failure", async () => {
  await create("own", ...RANGES);
  world.server.parts.faults.add({
    target: { verb: "patch", resource: "servicecidrs", subresource: "status" },
    action: {
      kind: "interfere",
      run: async () => {
        await world.delete(serviceCIDRs, "own");
        await world.update<ServiceCIDR>(serviceCIDRs, "own", (own) => ({
          ...own,
          metadata: { ...own.metadata, finalizers: [] },
        }));
      },
    },
    times: 1,
  });
  const set = await start();
  expect(await writes(60_000)).toEqual([PATCH, STATUS]);
  expect(await world.events()).toEqual([]);
  expect(set.debug("service-cidr-controller", "/", new URLSearchParams())?.body).not.toContain("failed");
});

test("it runs under the names and behind the gate that upstream has for it", () => {
  const { clientName, eventSource, featureGates, name } = serviceCidrController();
  expect({ clientName, eventSource, featureGates, name }).toEqual({
    clientName: "service-cidrs-controller",
    eventSource: "service-cidr-controller",
    featureGates: ["MultiCIDRServiceAllocator"],
    name: "service-cidr-controller",
  });
});
