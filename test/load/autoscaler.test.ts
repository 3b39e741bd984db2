import { expect, test } from "vitest";
import { SyncBench } from "../../controllers/podautoscaler/sync-bench.test-data.ts";
import { syncAutoscaler } from "../../controllers/podautoscaler/sync.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { HorizontalPodAutoscaler } from "../../pkg/api/types/autoscaling-v2.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../pkg/clock/real.ts";
import type { FakeAnswer } from "../harness/fake-transport.ts";
import { ownerSyncOf } from "../harness/sync-of.ts";
import { cpuTimeMs } from "../harness/cpu-time.ts";
import { longestTurnMs } from "./longest-turn.ts";

const PODS = 30_000;
const MOST_MS = 50;
/** As they come from a connection. */
const CHUNK = 16_384;
const LABELS = { app: "web" };
const labelled = { metadata: { labels: LABELS }, spec: { containers: [] } };

const longAgo = formatTime(realClock.nowMs() - 3_600_000);
const replicaSet: ReplicaSet = {
  metadata: {
    namespace: "team",
    name: "web-1",
    uid: "web-1",
    ownerReferences: [ownedBy("Deployment", "web")],
  },
  spec: { selector: { matchLabels: LABELS }, template: labelled },
};
const names = Array.from({ length: PODS }, (_, index) => `web-${index}`);
const pods: readonly Pod[] = names.map((name) => ({
  metadata: {
    namespace: "team",
    name,
    uid: name,
    labels: LABELS,
    ownerReferences: [ownedBy("ReplicaSet", "web-1")],
  },
  spec: { containers: [{ name: "main", resources: { requests: { cpu: "100m" } } }] },
  status: {
    phase: "Running",
    startTime: longAgo,
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: longAgo }],
  },
}));
const autoscaler: HorizontalPodAutoscaler = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { namespace: "team", name: "web", uid: "autoscaler" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    maxReplicas: 2 * PODS,
    metrics: [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
      },
      {
        type: "Pods",
        pods: { metric: { name: "qps" }, target: { type: "AverageValue", averageValue: "10" } },
      },
    ],
  },
};

function ownedBy(kind: string, uid: string) {
  return { apiVersion: "apps/v1", kind, name: uid, uid, controller: true };
}

const timestamp = formatTime(realClock.nowMs());
/** Every second pod: of the others nothing is known, and it has to be guessed. */
const measured = names.filter((_, index) => index % 2 === 0);
const usage = measured.map((name, index) => ({
  metadata: { name, namespace: "team", labels: LABELS },
  timestamp,
  window: "15.3s",
  containers: [{ name: "main", usage: { cpu: `${60_000_000 + index}n`, memory: `${index}Ki` } }],
}));
const values = measured.map((name, index) => ({
  describedObject: { kind: "Pod", name },
  timestamp,
  value: `${11_000 + index}m`,
}));

function list(items: readonly unknown[]): FakeAnswer {
  const text = JSON.stringify({ kind: "List", items });
  async function* chunks(): AsyncGenerator<string> {
    for (let at = 0; at < text.length; at += CHUNK) {
      await realClock.turn();
      yield text.slice(at, at + CHUNK);
    }
  }
  return { headers: { "content-type": "application/json" }, chunks: chunks() };
}

const scale = {
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { namespace: "team", name: "web", uid: "web" },
  spec: { replicas: PODS },
  status: { replicas: PODS, selector: "app=web" },
};

function newBench(): SyncBench {
  return new SyncBench({
    autoscaler,
    pods,
    replicaSets: [replicaSet],
    answers: {
      scale: () => ({ body: scale }),
      updateScale: () => ({ body: scale }),
      updateStatus: () => ({ body: autoscaler }),
      metrics: (path) => list(path.includes("custom") ? values : usage),
    },
    nowMs: realClock.nowMs(),
    clock: realClock,
  });
}

/** A machine that others use does not make CPU time longer by much, but by something: this is how much. */
function slowness(): number {
  const text = JSON.stringify(usage.slice(0, 5_000));
  return Math.max(1, cpuTimeMs(() => JSON.stringify(JSON.parse(text))) / YARDSTICK_MS);
}
const YARDSTICK_MS = 15;

test("an autoscaler of 30,000 pods leaves the loop its turns, the first time, too", async () => {
  const bench = newBench();
  const first = await longestTurnMs(async () => syncAutoscaler(ownerSyncOf(autoscaler), bench.context));
  const again = await longestTurnMs(async () => syncAutoscaler(ownerSyncOf(autoscaler), bench.context));
  const limitMs = MOST_MS * slowness();
  expect(
    [first, again].filter((ms) => ms > limitMs),
    `limit ${limitMs} ms`,
  ).toEqual([]);
  console.log(`longest turns: ${first.toFixed(1)} ms at first, ${again.toFixed(1)} ms again`);
});
