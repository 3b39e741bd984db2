import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { resources } from "../api/resources.ts";
import type { Lease } from "../api/types/coordination-v1.gen.ts";
import type { ConfigMap } from "../api/types/core-v1.gen.ts";
import { seededRandom } from "../clock/random.ts";
import type { ControllerDescriptor } from "../controller/env.ts";
import { Store } from "../apiserver/storage/store.ts";
import { EmbeddedCluster } from "./cluster.ts";

const lease = { namespace: "kube-system", name: "kube-controller-manager" };
const timing = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

let clock: VirtualClock;
let store: Store;
let cluster: EmbeddedCluster;
let leaders: string[];
/** What each run of the controller did last. */
let runs: ("works" | "ended" | "fenced")[];

/** Writes once a second for as long as it is let, with the one user that may do everything. */
const writer: ControllerDescriptor = {
  name: "writer",
  clientName: "hollow-nodes",
  build: ({ client, clock }) => ({
    run: async (signal) => {
      const index = runs.push("works") - 1;
      const configMaps = client.clientFor<ConfigMap>(resources.configMaps);
      while (!signal.aborted) {
        await clock.turn();
        await configMaps
          .create({ metadata: { generateName: "w-", namespace: "default" } })
          .catch(() => (runs[index] = "fenced"));
        await new Promise((resolve) => {
          clock.setTimer(1_000, () => resolve(undefined));
          signal.addEventListener("abort", resolve, { once: true });
        });
      }
      if (runs[index] === "works") runs[index] = "ended";
    },
  }),
};

async function finished<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const watched = work.finally(() => (isDone = true));
  watched.catch(() => undefined);
  await clock.runUntil(() => isDone, 60_000);
  return watched;
}

async function start(controllers: readonly ControllerDescriptor[] = [writer]): Promise<void> {
  const candidate = { identity: "us", timing, onNewLeader: (identity: string) => leaders.push(identity) };
  const options = { clock, random: seededRandom(1), store, controllers, candidate };
  cluster = await finished(EmbeddedCluster.start(options));
}

async function readLease(): Promise<Lease> {
  return finished(cluster.client("admin").clientFor<Lease>(resources.leases).get(lease));
}

/** As another manager writes it: with force where it is another's, which no manager does. */
async function hold(holderIdentity: string): Promise<void> {
  const now = "2026-01-01T00:00:00.000000Z";
  const spec = { holderIdentity, leaseDurationSeconds: 15, acquireTime: now, renewTime: now };
  const leases = cluster.client("admin").clientFor<Lease>(resources.leases);
  const body = { ...spec, leaseTransitions: 1 };
  await finished(leases.patch(lease, { type: "merge", body: { spec: body } }));
}

const written = (): number => store.scan("configmaps", { prefix: "default/w-" }).items.length;

beforeEach(() => {
  clock = new VirtualClock();
  store = new Store({ clock });
  leaders = [];
  runs = [];
});

afterEach(async () => finished(cluster.stop()));

test("controllers work at once where nobody else does, under the Lease that every manager takes", async () => {
  const startedMs = clock.monotonicMs();
  await start();
  await clock.runUntil(() => written() > 0, 60_000);
  expect(clock.monotonicMs() - startedMs).toBeLessThan(1_000);
  expect((await readLease()).spec?.holderIdentity).toBe("us");
  expect(cluster.health().has("writer")).toBe(true);
  expect(leaders).toEqual(["us"]);
});

test("the Lease is given back at the end, and the next process need not wait for it", async () => {
  await start();
  await clock.advanceBy(5_000);
  await finished(cluster.stop());
  const stored = store.scan("coordination.k8s.io/leases", { prefix: "kube-system/" }).items as Lease[];
  expect(stored.map(({ spec }) => spec?.holderIdentity ?? "")).toEqual([""]);
  const before = written();
  const startedMs = clock.monotonicMs();
  await start();
  await clock.runUntil(() => written() > before, 60_000);
  expect(clock.monotonicMs() - startedMs).toBeLessThan(1_000);
});

test("the Lease of a process that was killed is its own again under the same identity", async () => {
  await start([]);
  await finished(cluster.client("admin").clientFor<Lease>(resources.leases).create({ metadata: lease }));
  await hold("us");
  await finished(cluster.stop());
  const startedMs = clock.monotonicMs();
  await start();
  await clock.runUntil(() => written() > 0, 60_000);
  expect(clock.monotonicMs() - startedMs).toBeLessThan(1_000);
});

test("while another manager leads the controllers stand by, and take over when it is heard of no more", async () => {
  await start();
  await clock.advanceBy(3_000);
  await hold("other");
  await clock.advanceBy(12_000);
  const before = written();
  await clock.advanceBy(1_500);
  expect([written(), cluster.health().has("writer"), runs.length]).toEqual([before, false, 1]);
  await clock.runUntil(() => written() > before, 60_000);
  expect(leaders).toEqual(["us", "other", "us"]);
  expect(runs).toHaveLength(2);
});

test("without controllers there is no candidate", async () => {
  await start([]);
  await clock.advanceBy(20_000);
  await expect(readLease()).rejects.toThrow("not found");
});
