import type { ApiObject } from "../../../../pkg/api/object.ts";
import { resources } from "../../../../pkg/api/resources.ts";
import { formatTime } from "../../../../pkg/api/time.ts";
import type { PersistentVolumeClaim, Pod } from "../../../../pkg/api/types/core-v1.gen.ts";
import { BIND_COMPLETED, BOUND_BY_CONTROLLER } from "../../../../pkg/api/volumes/claim-facts.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import { sleep } from "../../../../pkg/clock/wait.ts";
import { follow } from "../follow.ts";
import { inParallel } from "../in-parallel.ts";
import { measured } from "../measured.ts";
import { createNamespace } from "../probe.ts";
import { requestsOf, type ScrapedMetrics, writesOf } from "../scraped-metrics.ts";
import type { Curve } from "../outcome.ts";
import type { Stage } from "../stage.ts";
import type { Workload } from "../workload.ts";

const NAMESPACE = "load";
const DRIVER = "disks.example.com";
const CLASS = "shelf";
const LIMIT_MS = 900_000;
const STEADY_MS = 60_000;
const NODES = 100;
const PODS_OF_EACH = 15;
const created = formatTime(Date.UTC(2026, 0, 15, 9, 30));

const conflictsOf = (metrics: ScrapedMetrics): number =>
  metrics.sum("rest_client_requests_total", (labels) => labels.includes('code="409"'));

interface Crowd {
  readonly id: string;
  readonly title: string;
  readonly claims: number;
  /** Requests a second; without limit when left out. */
  readonly qps?: number;
  readonly storeDelayMs?: number;
}

/** Claims that wait for a manager, with as many volumes that they could have. */
function binding({ id, title, claims, qps, storeDelayMs = 0 }: Crowd): Workload {
  const isLimited = qps !== undefined;
  return {
    id,
    title,
    needs: ["persistentvolume-binder-controller"],
    alone: true,
    rounds: isLimited ? 1 : 2,
    storeDelayMs,
    figures: {
      seconds: {
        label: "start until all are bound",
        unit: "s",
        goal: { bound: "at most", value: isLimited ? 1.05 : 0.2 },
      },
      cpu: { label: "CPU", unit: "s", goal: { bound: "at most", value: 1 } },
      writes: { label: "API writes a claim, Events too", unit: "" },
      conflicts: { label: "conflicts", unit: "", goal: { bound: "at most", value: 0, absolute: true } },
      settled: { label: "settled RSS", unit: "MiB", goal: { bound: "at most", value: 0.9 } },
      peak: { label: "peak RSS", unit: "MiB" },
    },
    prepare: async (stage) => {
      const count = stage.scaled(claims);
      await createNamespace(stage.client, NAMESPACE);
      await stage.store([...volumes(count, false), ...claimsOf(count, false)]);
    },
    play: async (stage, start) => {
      const count = stage.scaled(claims);
      const bound = new Set<string>();
      const curve: Curve = { unit: "", points: [] };
      const more = isLimited ? [`--kube-api-qps=${qps}`, `--kube-api-burst=${qps}`] : [];
      const manager = await start({ limits: isLimited ? "default" : "lifted", more });
      const options = { namespace: NAMESPACE };
      const onEvent = ({ object }: { readonly object: PersistentVolumeClaim }): void => {
        const { metadata, status } = object;
        if (status?.phase !== "Bound" || bound.has(metadata.name ?? "")) return;
        bound.add(metadata.name ?? "");
        curve.points.push([manager.elapsedSeconds, bound.size]);
      };
      const following = follow(stage.client, resources.persistentVolumeClaims, options, onEvent);
      try {
        await following.until("all claims are bound", () => bound.size >= count, LIMIT_MS);
        const seconds = manager.elapsedSeconds;
        const { rssMiB, peakRssMiB, cpuSeconds } = await manager.settle(60_000);
        const metrics = await manager.metrics();
        return {
          figures: {
            seconds,
            cpu: cpuSeconds,
            writes: writesOf(metrics) / count,
            conflicts: conflictsOf(metrics),
            settled: rssMiB,
            peak: peakRssMiB,
          },
          curves: { RSS: manager.rss, "claims bound": curve },
        };
      } finally {
        await following.stop();
      }
    },
  };
}

const PAIRS = 10_000;

/** Nothing is to be done for claims that have their volumes. */
const idlePairs: Workload = {
  id: "v-idle",
  title: `${PAIRS.toLocaleString("en")} claims that have their volumes, for a minute`,
  needs: ["persistentvolume-binder-controller", "persistentvolume-attach-detach-controller"],
  rounds: 1,
  figures: {
    startCpu: { label: "CPU until it is settled", unit: "s", goal: { bound: "at most", value: 1 } },
    cpu: { label: "CPU of a steady minute", unit: "s", goal: { bound: "at most", value: 1 } },
    requests: { label: "requests of it", unit: "" },
    rss: { label: "RSS after it", unit: "MiB", goal: { bound: "at most", value: 0.9 } },
  },
  prepare: async (stage) => {
    const count = stage.scaled(PAIRS);
    await createNamespace(stage.client, NAMESPACE);
    await stage.store([...volumes(count, true), ...claimsOf(count, true)]);
  },
  play: async (_, start) => {
    const manager = await start();
    const { cpuSeconds: startCpu } = await manager.settle(LIMIT_MS);
    const before = requestsOf(await manager.metrics());
    await sleep(realClock, STEADY_MS);
    const { cpuSeconds, rssMiB } = manager.usage();
    const requests = requestsOf(await manager.metrics()) - before;
    const figures = { startCpu, cpu: cpuSeconds - startCpu, requests, rss: rssMiB };
    return { figures, curves: { RSS: manager.rss } };
  },
};

/** Pods come to nodes with a volume each; the driver, here, attaches what it is asked for at once. */
const attaching: Workload = {
  id: "v-attach",
  title: `${(NODES * PODS_OF_EACH).toLocaleString("en")} pods with a volume each come to ${NODES} nodes`,
  needs: ["persistentvolume-attach-detach-controller"],
  alone: true,
  rounds: 1,
  figures: {
    seconds: { label: "until all nodes have all", unit: "s", goal: { bound: "at most", value: 1 } },
    cpu: { label: "CPU", unit: "s", goal: { bound: "at most", value: 1 } },
    writes: { label: "API writes a volume, Events too", unit: "" },
    gone: { label: "until none is attached after the pods", unit: "s", goal: { bound: "at most", value: 1 } },
    goneCpu: { label: "CPU for that", unit: "s", goal: { bound: "at most", value: 1 } },
    goneWrites: { label: "API writes a volume for that", unit: "" },
    conflicts: { label: "conflicts", unit: "", goal: { bound: "at most", value: 0, absolute: true } },
  },
  prepare: async (stage) => {
    const count = NODES * PODS_OF_EACH;
    await createNamespace(stage.client, NAMESPACE);
    await stage.store([...nodes(), ...volumes(count, true), ...claimsOf(count, true)]);
  },
  play: async (stage, start) => {
    const { client } = stage;
    const names = Array.from({ length: NODES * PODS_OF_EACH }, (_, index) => nameOf(index));
    const manager = await start();
    await manager.settle(LIMIT_MS);
    const driver = followDriver(stage);
    const has = new Map<string, number>();
    const reports = follow(client, resources.nodes, {}, ({ object: { metadata, status } }) => {
      has.set(metadata.name ?? "", status?.volumesAttached?.length ?? 0);
    });
    const total = (): number => [...has.values()].reduce((sum, count) => sum + count, 0);
    try {
      const came = await measured(manager, async () => {
        const pods = client.clientFor<Pod>(resources.pods);
        await inParallel(names, async (_, index) => pods.create(podOf(index)), 64);
        await reports.until("all volumes are reported", () => total() === names.length, LIMIT_MS);
      });
      const went = await measured(manager, async () => {
        const how = { gracePeriodSeconds: 0 };
        const pods = client.clientFor<Pod>(resources.pods);
        await inParallel(names, async (name) => pods.delete({ namespace: NAMESPACE, name }, how), 64);
        await reports.until("no volume is reported", () => total() === 0, LIMIT_MS);
      });
      return {
        figures: {
          seconds: came.seconds,
          cpu: came.cpuSeconds,
          writes: came.writes / names.length,
          gone: went.seconds,
          goneCpu: went.cpuSeconds,
          goneWrites: went.writes / names.length,
          conflicts: conflictsOf(await manager.metrics()),
        },
        curves: { RSS: manager.rss },
      };
    } finally {
      await reports.stop();
      await driver.stop();
    }
  },
};

function followDriver({ client }: Stage): { stop(): Promise<void> } {
  const attachments = client.clientFor(resources.volumeAttachments);
  return follow(client, resources.volumeAttachments, {}, ({ type, object: { metadata, status } }) => {
    if (type === "DELETED" || status?.attached === true || metadata.deletionTimestamp !== undefined) return;
    const body = { status: { attached: true } };
    void attachments.patch({ name: metadata.name ?? "" }, { type: "merge", body }, { subresource: "status" });
  });
}

export const volumeWorkloads: readonly Workload[] = [
  binding({ id: "v-bind-1k", title: "1,000 claims and as many volumes", claims: 1_000 }),
  binding({ id: "v-bind-10k", title: "10,000 claims and as many volumes", claims: 10_000 }),
  binding({
    id: "v-bind-slow",
    title: "1,000 claims and as many volumes, 10 ms for each write to etcd",
    claims: 1_000,
    storeDelayMs: 10,
  }),
  binding({
    id: "v-bind-limited",
    title: "1,000 claims and as many volumes, 100 requests a second",
    claims: 1_000,
    qps: 100,
  }),
  idlePairs,
  attaching,
];

const nameOf = (index: number): string => `data-${index}`;

function uidOf(kind: number, index: number): string {
  return `00000000-${kind.toString(16).padStart(4, "0")}-4000-9000-${index.toString(16).padStart(12, "0")}`;
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** A volume for each claim; of different sizes, as those that users bring. */
function volumes(count: number, areBound: boolean): readonly ApiObject[] {
  return range(count).map((index) => {
    const name = `volume-${index}`;
    const claimRef = {
      kind: "PersistentVolumeClaim",
      apiVersion: "v1",
      namespace: NAMESPACE,
      name: nameOf(index),
      uid: uidOf(1, index),
    };
    return {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: {
        name,
        uid: uidOf(2, index),
        creationTimestamp: created,
        finalizers: ["kubernetes.io/pv-protection"],
        ...(areBound && { annotations: { [BOUND_BY_CONTROLLER]: "yes" } }),
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: sizeOf(index) },
        csi: { driver: DRIVER, volumeHandle: name },
        persistentVolumeReclaimPolicy: "Retain",
        storageClassName: CLASS,
        volumeMode: "Filesystem",
        ...(areBound && { claimRef }),
      },
      status: { phase: areBound ? "Bound" : "Available" },
    } as ApiObject;
  });
}

function claimsOf(count: number, areBound: boolean): readonly ApiObject[] {
  return range(count).map((index) => {
    const bound = {
      phase: "Bound",
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: sizeOf(index) },
    };
    const annotations = { [BIND_COMPLETED]: "yes", [BOUND_BY_CONTROLLER]: "yes" };
    return {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        namespace: NAMESPACE,
        name: nameOf(index),
        uid: uidOf(1, index),
        creationTimestamp: created,
        finalizers: ["kubernetes.io/pvc-protection"],
        ...(areBound && { annotations }),
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: sizeOf(index) } },
        storageClassName: CLASS,
        volumeMode: "Filesystem",
        ...(areBound && { volumeName: `volume-${index}` }),
      },
      status: areBound ? bound : { phase: "Pending" },
    } as ApiObject;
  });
}

const sizeOf = (index: number): string => `${1 + (index % 50)}Gi`;

function nodes(): readonly ApiObject[] {
  return range(NODES).map(
    (index) =>
      ({
        apiVersion: "v1",
        kind: "Node",
        metadata: {
          name: `node-${index}`,
          uid: uidOf(3, index),
          creationTimestamp: created,
          annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true" },
        },
        spec: {},
        status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: created }] },
      }) as ApiObject,
  );
}

function podOf(index: number): Pod {
  const claimName = nameOf(index);
  return {
    metadata: { namespace: NAMESPACE, name: claimName },
    spec: {
      nodeName: `node-${index % NODES}`,
      containers: [{ name: "main", image: "app:v1" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
    },
  };
}
