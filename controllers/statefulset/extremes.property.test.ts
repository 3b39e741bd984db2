import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StatefulSet, ControllerRevision } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { cpuTimeMs } from "../../test/harness/cpu-time.ts";
import { newPod } from "./new-pod.ts";
import { decideReplicas, type PodStep, type ReplicasPlan } from "./replicas.ts";
import { decideRevision, type Revisions } from "./revisions.ts";
import { decideRolling, decideRollingWithin, unavailableReplicas } from "./rolling.ts";
import { changed, claimTemplate, type Health, podOf, statefulSet } from "./samples.test-data.ts";
import { decideStatus } from "./status.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");
const LARGEST = 2 ** 31 - 1;
/** No sync may keep everybody else waiting for longer. */
const LIMIT_MS = 50;

function decide(set: Stored<StatefulSet>, pods: readonly Stored<Pod>[]): ReplicasPlan {
  const template = set.spec?.template ?? {};
  return decideReplicas(
    {
      set,
      pods,
      claim: () => undefined,
      newPod: (ordinal) => newPod(asStored(set), template, "new", ordinal),
    },
    NOW,
  );
}

const lines = (steps: readonly PodStep[]): readonly string[] =>
  steps.map(({ action, pod }) => `${action} ${pod.metadata.name}`);

describe("of 2^31 - 1 pods", () => {
  const inTurn = statefulSet("foo", LARGEST, { volumeClaimTemplates: [] });
  const atOnce = changed(inTurn, { podManagementPolicy: "Parallel" });

  test("the first is made in its turn, and then the next", () => {
    expect(lines(decide(inTurn, []).replicas)).toEqual(["create foo-0"]);
    const ready = [podOf(inTurn, 0), podOf(inTurn, 1)];
    expect(lines(decide(inTurn, ready).replicas)).toEqual(["create foo-2"]);
  });

  test("some are made at once, those that are there are looked at, and the rest is for the next sync", () => {
    const there = [0, 2, 2_000_000_000].map((ordinal) => podOf(atOnce, ordinal, { health: "failed" }));
    const plan = decide(atOnce, there);
    const made = lines(plan.replicas);
    expect(made.slice(0, 4)).toEqual(["delete foo-0", "create foo-1", "delete foo-2", "create foo-3"]);
    expect(made.slice(-2)).toEqual(["create foo-2001", "delete foo-2000000000"]);
  });

  test("all that are left are made when these are few", () => {
    const there = Array.from({ length: 2_000 }, (_, ordinal) => podOf(atOnce, ordinal));
    const plan = decide(changed(atOnce, { replicas: 2_003 }), there);
    expect(lines(plan.replicas)).toEqual(["create foo-2000", "create foo-2001", "create foo-2002"]);
  });

  test("none gets an ordinal that it would not be known by", () => {
    const last = changed(atOnce, { ordinals: { start: LARGEST } });
    const plan = decide(last, []);
    expect(lines(plan.replicas)).toEqual([`create foo-${LARGEST}`]);
  });

  test("those that are missing are unavailable, and an update waits for them", () => {
    const set = changed(atOnce, {
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1, maxUnavailable: "100%" } },
    });
    const old = [0, 1, 2].map((ordinal) => podOf(set, ordinal, { revision: "old" }));
    const { places } = decide(set, old);
    const view = { set, places, updateRevision: "new" };
    expect(unavailableReplicas(set, places, NOW)).toBe(LARGEST - 3);
    expect(lines(decideRolling(view, NOW))).toEqual([]);
    expect(lines(decideRollingWithin(view, NOW))).toEqual(["delete foo-2", "delete foo-1"]);
  });
});

const extreme = fc.constantFrom(0, 1, 3, 500, 10_000, 10 ** 6, 10 ** 8, LARGEST - 1, LARGEST);
const shape = fc.record({
  replicas: extreme,
  start: extreme,
  partition: extreme,
  maxUnavailable: fc.constantFrom(0, 1, LARGEST, "0%", "1%", "100%"),
  minReadySeconds: extreme,
  revisionHistoryLimit: extreme,
  podManagementPolicy: fc.constantFrom("OrderedReady", "Parallel"),
  type: fc.constantFrom("RollingUpdate", "OnDelete"),
  claims: fc.constantFrom(0, 1, 2_000),
  labels: fc.constantFrom(1, 10, 10_000),
});
/** Where pods are, counted from the first place: some far away, some before it. */
const there = fc.array(
  fc.record({
    place: fc.oneof(fc.nat(20), fc.constantFrom(-1, 999, 10 ** 6, LARGEST)),
    health: fc.constantFrom<Health>("pending", "running", "ready", "failed"),
    revision: fc.constantFrom("old", "new"),
    terminating: fc.boolean(),
  }),
  { maxLength: 20 },
);

function setOf(of: typeof shape extends fc.Arbitrary<infer T> ? T : never): Stored<StatefulSet> {
  const { start, partition, maxUnavailable, type, claims, labels, ...spec } = of;
  const set = statefulSet("foo", of.replicas, {
    ...spec,
    ordinals: { start },
    updateStrategy: { type, rollingUpdate: { partition, maxUnavailable } },
    volumeClaimTemplates: Array.from({ length: claims }, (_, index) => claimTemplate(`claim-${index}`)),
  });
  const all = Object.fromEntries(Array.from({ length: labels }, (_, index) => [`label-${index}`, "x"]));
  const template = { ...set.spec?.template, metadata: { labels: { ...all, foo: "bar" } } };
  return changed(set, { template, selector: { matchLabels: template.metadata.labels } });
}

test("whatever numbers a StatefulSet has, what a sync decides takes no time", () => {
  fc.assert(
    fc.property(shape, there, (of, pods) => {
      const set = setOf(of);
      const places = new Map(pods.map((pod) => [of.start + pod.place, pod]));
      const bare = changed(set, { template: {}, volumeClaimTemplates: [] });
      const existing = [...places]
        .filter(([ordinal]) => ordinal >= 0 && ordinal <= LARGEST)
        .map(([ordinal, pod]) => podOf(bare, ordinal, pod));
      const revision = (name: string): Revisions["update"] =>
        asStored<ControllerRevision>({ metadata: { name }, revision: 1 });
      const [current, update] = [revision("old"), revision("new")];
      const revisions = { current, update, collisionCount: 0 };
      const spentMs = cpuTimeMs(() => {
        decideRevision(asStored(set), [current, update], undefined);
        const plan = decide(set, existing);
        const view = { set, places: plan.places, updateRevision: "new" };
        const steps = [...decideRolling(view, NOW), ...decideRollingWithin(view, NOW)];
        decideStatus({ set, pods: existing, revisions, outdated: steps.map(({ pod }) => pod) }, NOW);
      });
      expect(spentMs).toBeLessThan(LIMIT_MS);
    }),
    { numRuns: 60, endOnFailure: true },
  );
});
