import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { IntOrString } from "../../pkg/api/int-or-string.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { staysAtCurrentRevision } from "./new-pod.ts";
import * as places from "./places.ts";
import type { Places } from "./places.ts";
import type { PodStep } from "./replicas.ts";
import { decideRolling, decideRollingWithin, unavailableReplicas } from "./rolling.ts";
import { changed, podOf, statefulSet } from "./samples.test-data.ts";
import { maxUnavailable } from "./stateful-set.ts";

const NOW = Date.parse("2026-06-01T00:00:00Z");
const namesOf = (steps: readonly PodStep[]): string => steps.map(({ pod }) => pod.metadata.name).join(" ");

/** "o" old, "n" new, both ready; "O", "N" not ready; "t", "T" old and new that are terminating; "-" being created. */
function placesOf(set: Stored<StatefulSet>, states: string): Places {
  const pods = Array.from(states).flatMap((state, ordinal) => {
    if (state === "-") return [];
    const revision = "oOt".includes(state) ? "old" : "new";
    const health = "ON".includes(state) ? "running" : "ready";
    return podOf(set, ordinal, { revision, health, terminating: "tT".includes(state) });
  });
  return places.placesOf(changed(set, { replicas: states.length }), pods);
}

function rolling(replicas: number, partition: number, unavailable?: IntOrString): Stored<StatefulSet> {
  const rollingUpdate = { partition, ...(unavailable !== undefined && { maxUnavailable: unavailable }) };
  return statefulSet("foo", replicas, { updateStrategy: { type: "RollingUpdate", rollingUpdate } });
}

describe("an update goes from the last pod to the first", () => {
  test.each<[string, string, number, string]>([
    ["with the last one first", "ooo", 0, "foo-2"],
    ["and on when that one is new and available", "oon", 0, "foo-1"],
    ["but not while it is not ready", "ooN", 0, ""],
    ["nor while it is terminating", "oot", 0, ""],
    ["nor while it is being created", "oo-", 0, ""],
    ["an old one that is not ready goes all the same", "oOn", 0, "foo-1"],
    ["one that is not ready further down does not matter yet", "Oon", 0, "foo-1"],
    ["until all are new", "nnn", 0, ""],
    ["but not those before the partition", "oon", 2, ""],
    ["a partition beyond the last keeps all", "ooo", 7, ""],
  ])("%s", (_name, states, partition, goes) => {
    const set = rolling(states.length, partition);
    const view = { set, places: placesOf(set, states), updateRevision: "new" };
    expect(namesOf(decideRolling(view, NOW))).toBe(goes);
  });

  test("not when pods are updated as somebody deletes them", () => {
    const set = statefulSet("foo", 3, { updateStrategy: { type: "OnDelete" } });
    const view = { set, places: placesOf(set, "ooo"), updateRevision: "new" };
    expect([decideRolling(view, NOW), decideRollingWithin(view, NOW)]).toEqual([[], []]);
  });

  // upstream: pkg/controller/statefulset/stateful_set_control_test.go#TestStatefulSetRollingUpdateRespectsMinReadySeconds
  test("each when the one before has been ready for long enough", () => {
    const patient = changed(rolling(3, 0), { minReadySeconds: 2_000_000_000 });
    const view = { set: patient, places: placesOf(patient, "oon"), updateRevision: "new" };
    expect(decideRolling(view, NOW)).toEqual([]);
  });
});

// upstream: pkg/controller/statefulset/stateful_set_control_test.go#TestStatefulSetControlRollingUpdateWithMaxUnavailable,
// #TestStatefulSetControlRollingUpdateWithMaxUnavailableInOrderedModeVerifyInvariant
describe("with two that may be unavailable, from the partition at 3 on", () => {
  test.each<[string, string, string]>([
    ["two go at once", "oooooo", "foo-5 foo-4"],
    ["one beside one that is terminating, the last", "ooooot", "foo-4"],
    ["one beside one in the middle", "ooooto", "foo-5"],
    ["one beside the first of them", "oootoo", "foo-5"],
    ["none beside two", "oooott", ""],
    ["none beside two others", "oootot", ""],
    ["nor beside those", "oootto", ""],
    ["none beside three", "ooottt", ""],
    ["one beside one before the partition", "ootooo", "foo-5"],
    ["one beside another there", "otoooo", "foo-5"],
    ["one when one of two is new and ready", "ooo-on", "foo-4"],
    ["none while two are being created", "oooo--", ""],
    ["none when all from the partition are new", "ooonnn", ""],
  ])("%s", (_name, states, go) => {
    const set = rolling(6, 3, 2);
    const view = { set, places: placesOf(set, states), updateRevision: "new" };
    expect(namesOf(decideRollingWithin(view, NOW))).toBe(go);
  });
});

// upstream: pkg/controller/statefulset/stateful_set_utils_test.go#TestGetStatefulSetMaxUnavailable
test.each<[IntOrString | undefined, number, number]>([
  [undefined, 10, 1],
  [3, 10, 3],
  [3, 0, 3],
  [0, 0, 1],
  ["10%", 25, 2],
  ["100%", 5, 5],
  ["50%", 5, 2],
  ["10%", 5, 1],
  ["1%", 0, 1],
  ["0%", 0, 1],
])("of maxUnavailable %s, %i replicas may miss %i", (value, replicas, count) => {
  expect(maxUnavailable(rolling(replicas, 0, value))).toBe(count);
});

// upstream: pkg/controller/statefulset/stateful_set_control_test.go#TestStatefulSetMetrics: what is measured
test.for<[string, number, IntOrString | undefined, string, number, number]>([
  ["in turn, within the limit", 5, 2, "Ooooo", 2, 1],
  ["at once, beyond the limit", 10, "20%", "tttooooooo", 2, 3],
  ["in turn, at the limit", 8, 3, "OOOooooo", 3, 3],
  ["at once, all available", 4, 2, "oooo", 2, 0],
  ["by percentage", 10, "30%", "OOoooooooo", 3, 2],
  ["by a large percentage", 20, "50%", `${"t".repeat(8)}${"o".repeat(12)}`, 10, 8],
  ["a small one", 2, 1, "Oo", 1, 1],
  ["a single pod", 1, 1, "t", 1, 1],
  ["without a limit, in turn", 5, undefined, "OOooo", 1, 2],
  ["without a limit, at once", 6, undefined, "oooooo", 1, 0],
])("unavailable pods: %s", ([_name, replicas, limit, states, allowed, actual]) => {
  const set = rolling(replicas, 0, limit);
  expect(maxUnavailable(set)).toBe(allowed);
  expect(unavailableReplicas(asStored(set), placesOf(set, states), NOW)).toBe(actual);
});

describe("a pod that comes back has the revision from before the update", () => {
  const strategies: Readonly<Record<string, StatefulSet>> = {
    "with a partition at 2": rolling(4, 2),
    "with a partition at 2 and ordinals from 5 on": changed(rolling(4, 2), { ordinals: { start: 5 } }),
    "without rolling update, when two have it": {
      ...statefulSet("foo", 4, { updateStrategy: { type: "RollingUpdate" } }),
      status: { replicas: 4, currentReplicas: 2 },
    },
    "when updated on deletion": {
      ...statefulSet("foo", 4, { updateStrategy: { type: "OnDelete" } }),
      status: { replicas: 4, currentReplicas: 2 },
    },
  };
  test.each([
    ["with a partition at 2", [0, 1, 2, 3], [true, true, false, false]],
    ["with a partition at 2 and ordinals from 5 on", [5, 6, 7, 8], [true, true, false, false]],
    ["without rolling update, when two have it", [0, 1, 2, 3], [true, true, false, false]],
    ["when updated on deletion", [0, 1, 2, 3], [false, false, false, false]],
  ])("%s", (name, ordinals, stay) => {
    const set = strategies[name] ?? statefulSet();
    expect(ordinals.map((ordinal) => staysAtCurrentRevision(asStored(set), ordinal))).toEqual(stay);
  });
});
