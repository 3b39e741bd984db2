import { describe, expect, test } from "vitest";
import { formatTime } from "../../pkg/api/time.ts";
import { asStored } from "../../test/harness/stored.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { failedStatusPatch } from "./failed-status.ts";
import { decideVictims, mayGo, type VictimsView } from "./victims.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

interface PodSketch {
  readonly phase?: string;
  readonly reason?: string;
  readonly node?: string;
  readonly deleting?: boolean;
}

describe("finished pods above the threshold", () => {
  // upstream: pkg/controller/podgc/gc_controller_test.go#TestGCTerminated
  test.each<[string, readonly PodSketch[], number, string]>([
    ["go, failed or succeeded", ended("Failed", "Succeeded", "Failed"), 1, "a b"],
    ["stay with threshold 0", ended("Failed", "Succeeded"), 0, ""],
    ["stay with a threshold below 0", ended("Failed", "Succeeded"), -1, ""],
    ["go, the oldest first", ended("Failed", "Succeeded", "Failed"), 1, "a b"],
    ["do not count pods that run", ended("Running", "Succeeded", "Failed"), 1, "b"],
    ["go: one", ended("Failed", "Succeeded"), 1, "a"],
    ["stay below the threshold", ended("Failed", "Succeeded"), 5, ""],
    ["go, evicted ones first", [...ended("Failed", "Succeeded"), evicted()], 1, "c a"],
    ["do not count pods that run beside evicted ones", [...ended("Running", "Succeeded"), evicted()], 1, "c"],
    ["do not count pending and unknown pods", ended("Pending", "Unknown", "Failed"), 1, ""],
  ])("%s", (_, sketches, threshold, expected) => {
    const pods = podsOf(sketches);
    const victims = decideVictims(view({ pods, threshold, nodeNamed: () => readyNode }));
    expect(victims.map(({ pod }) => pod.metadata.name).join(" ")).toBe(expected);
    expect(victims.every(({ reason }) => reason === "terminated")).toBe(true);
  });

  test("of the same age go by name", () => {
    const twins = ["y", "x"].map((name) => pod(name, { phase: "Failed" }, 0));
    const victims = decideVictims(view({ pods: twins, threshold: 1 }));
    expect(victims.map(({ pod: victim }) => victim.metadata.name)).toEqual(["x"]);
  });
});

describe("pods without a node that are being deleted", () => {
  // upstream: pkg/controller/podgc/gc_controller_test.go#TestGCUnscheduledTerminating
  test.each<[string, readonly PodSketch[], string, string]>([
    [
      "go in any phase; only those that have not finished are marked as failed",
      [
        { phase: "Failed", deleting: true },
        { phase: "Succeeded", deleting: true },
        { phase: "Running", deleting: true },
      ],
      "a b c",
      "c",
    ],
    [
      "stay when they are scheduled, or are not being deleted",
      [
        { phase: "Failed" },
        { phase: "Succeeded", node: "node" },
        { phase: "Running", deleting: true, node: "node" },
      ],
      "",
      "",
    ],
  ])("%s", (_, sketches, deleted, marked) => {
    const victims = decideVictims(view({ pods: podsOf(sketches) }));
    expect(namesOf(victims)).toBe(deleted);
    expect(markedOf(victims)).toBe(marked);
    expect(victims.every(({ reason }) => reason === "unscheduled")).toBe(true);
  });
});

describe("pods that are being deleted on a node that is out of service", () => {
  const nodes: Readonly<Record<string, Node>> = {
    tainted: node("False", [{ effect: "NoExecute" }]),
    lost: node("False", []),
    ready: node("True", []),
    noSchedule: node("False", [{ effect: "NoSchedule" }]),
    preferNoSchedule: node("False", [{ effect: "PreferNoSchedule" }]),
    valued: node("False", [{ effect: "NoExecute", value: "any-value" }]),
    readyAgain: node("True", [{ effect: "NoExecute" }]),
    silent: { metadata: { name: "silent" }, spec: { taints: [taint({ effect: "NoExecute" })] } },
  };
  const nodeNamed = (name: string): Node | undefined => nodes[name];

  // upstream: pkg/controller/podgc/gc_controller_test.go#TestGCTerminating
  test.each<[string, boolean]>([
    ["lost", false],
    ["tainted", true],
    ["ready", false],
    ["noSchedule", true],
    ["preferNoSchedule", true],
    ["valued", true],
    ["readyAgain", false],
    ["silent", true],
  ])("on a node that is %s", (name, expected) => {
    const phases = ["Pending", "Running", "Unknown"];
    const pods = podsOf([
      { node: name, phase: "Running", deleting: true },
      ...phases.map((phase) => ({ node: name, phase })),
    ]);
    const victims = decideVictims(view({ pods, nodeNamed }));
    expect(namesOf(victims)).toBe(expected ? "a" : "");
    expect(markedOf(victims)).toBe(expected ? "a" : "");
    expect(victims.every(({ reason }) => reason === "out-of-service")).toBe(true);
  });

  test("go in any phase; only those that have not finished are marked as failed", () => {
    const phases = ["Running", "Failed", "Succeeded"];
    const pods = podsOf(phases.map((phase) => ({ node: "tainted", phase, deleting: true })));
    const victims = decideVictims(view({ pods, nodeNamed }));
    expect(namesOf(victims)).toBe("a b c");
    expect(markedOf(victims)).toBe("a");
  });
});

describe("pods of nodes that are gone", () => {
  const pods = podsOf([
    { phase: "Failed", node: "gone" },
    { phase: "Failed", node: "existing" },
    { phase: "Succeeded", node: "gone" },
    { phase: "Running", node: "gone" },
    { phase: "Pending" },
  ]);

  test("go, whatever their phase, and are marked as failed when they have not finished", () => {
    const victims = decideVictims(view({ pods, goneNodes: new Set(["gone"]) }));
    expect(namesOf(victims)).toBe("a c d");
    expect(markedOf(victims)).toBe("d");
    expect(victims.every(({ reason }) => reason === "orphaned")).toBe(true);
  });

  test("go once, though there may be several reasons", () => {
    const victims = decideVictims(view({ pods, threshold: 2, goneNodes: new Set(["gone"]) }));
    expect(victims.map(({ pod: { metadata }, reason }) => `${metadata.name} ${reason}`)).toEqual([
      "a terminated",
      "c orphaned",
      "d orphaned",
    ]);
  });
});

describe("a pod that runs on a node that is there", () => {
  const goneNodes = new Set(["gone"]);

  test.each<[string, PodSketch]>([
    ["unless it has succeeded", { phase: "Succeeded", node: "existing" }],
    ["unless it has failed", { phase: "Failed", node: "existing" }],
    ["unless it is being deleted", { phase: "Running", node: "existing", deleting: true }],
    ["unless its node is gone", { phase: "Running", node: "gone" }],
    ["unless noboasStored(dy has said how it fares", { node: "existing" }],
  ])("is not lookasStored(ed at any further)), %s", (_, sketch) => {
    expect(mayGo(pod("other", { phase: "Running", node: "existing" }, 0), goneNodes)).toBe(false);
    expect(mayGo(pod("a", sketch, 0), goneNodes)).toBe(true);
  });
});

describe("how a pod is marked as failed", () => {
  const ready = { type: "Ready", status: "True" };
  const running = {
    ...pod("testPod", { phase: "Running", node: "gone" }, 0),
    status: { phase: "Running", conditions: [ready] },
  };
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByPodGC",
    message: "PodGC: node no longer exists",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };

  // upstream: pkg/controller/podgc/gc_controller_test.go#TestGCInspectingPatchedPodBeforeDeletion
  test("an orphan is told why, beside the conditions that it has", () => {
    expect(failedStatusPatch({ pod: running, reason: "orphaned" }, NOW_MS)).toEqual({
      metadata: { uid: "testPod" },
      status: { phase: "Failed", conditions: [condition] },
    });
  });

  test("others are not", () => {
    expect(failedStatusPatch({ pod: running, reason: "out-of-service" }, NOW_MS)).toEqual({
      metadata: { uid: "testPod" },
      status: { phase: "Failed" },
    });
  });

  test("with the generation that was looked at", () => {
    const third = { ...running, metadata: { ...running.metadata, generation: 3 } };
    expect(failedStatusPatch({ pod: third, reason: "orphaned" }, NOW_MS)?.status).toEqual({
      phase: "Failed",
      observedGeneration: 3,
      conditions: [{ ...condition, observedGeneration: 3 }],
    });
  });

  test("one that is a target of disruption already stays one since then", () => {
    const since = { ...condition, reason: "Other", lastTransitionTime: "2025-12-31T00:00:00Z" };
    const target = { ...running, status: { phase: "Running", conditions: [since] } };
    expect(failedStatusPatch({ pod: target, reason: "orphaned" }, NOW_MS)?.status.conditions).toEqual([
      { ...condition, lastTransitionTime: "2025-12-31T00:00:00Z" },
    ]);
  });
});

const readyNode = node("True", []);

function view(change: Partial<VictimsView>): VictimsView {
  return { pods: [], nodeNamed: () => undefined, goneNodes: new Set(), threshold: -1, ...change };
}

/** Named a, b, c …, each an hour younger than the one before. */
function podsOf(sketches: readonly PodSketch[]): readonly Stored<Pod>[] {
  return sketches.map((sketch, index) => pod(String.fromCharCode(97 + index), sketch, index));
}

function pod(name: string, sketch: PodSketch, hours: number): Stored<Pod> {
  const deletionTimestamp = formatTime(NOW_MS);
  return asStored<Pod>({
    metadata: {
      name,
      namespace: "default",
      uid: name,
      creationTimestamp: formatTime(hours * HOUR_MS),
      ...(sketch.deleting && { deletionTimestamp }),
    },
    spec: { containers: [], ...(sketch.node && { nodeName: sketch.node }) },
    status: { ...(sketch.phase && { phase: sketch.phase }), ...(sketch.reason && { reason: sketch.reason }) },
  });
}

function ended(...phases: string[]): readonly PodSketch[] {
  return phases.map((phase) => ({ phase, node: "node" }));
}

function evicted(): PodSketch {
  return { phase: "Failed", reason: "Evicted", node: "node" };
}

function node(ready: string, taints: readonly { readonly effect: string; readonly value?: string }[]): Node {
  return {
    metadata: { name: "node" },
    spec: { taints: taints.map(taint) },
    status: { conditions: [{ type: "Ready", status: ready }] },
  };
}

function taint(rest: { readonly effect: string; readonly value?: string }): {
  readonly key: string;
  readonly effect: string;
} {
  return { key: "node.kubernetes.io/out-of-service", ...rest };
}

function namesOf(victims: ReturnType<typeof decideVictims>): string {
  return victims.map(({ pod: victim }) => victim.metadata.name).join(" ");
}

function markedOf(victims: ReturnType<typeof decideVictims>): string {
  return namesOf(victims.filter((victim) => failedStatusPatch(victim, NOW_MS) !== undefined));
}
