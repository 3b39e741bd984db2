import type { ApiObject } from "../../../pkg/api/object.ts";
import type { V1alpha2PodGroup } from "../../../pkg/api/types/scheduling-v1alpha2.gen.ts";
import { inArea, type Scenario, type Step } from "../scenario.ts";
import { create, pod } from "./objects.ts";

const FINALIZER = "scheduling.k8s.io/podgroup-protection";
const HELD_MS = 1_000;

/** Admission gives it the finalizer, where it has none. */
function group(name: string, finalizers?: readonly string[]): Step {
  const object: V1alpha2PodGroup & ApiObject = {
    apiVersion: "scheduling.k8s.io/v1alpha2",
    kind: "PodGroup",
    metadata: { name, ...(finalizers && { finalizers }) },
    spec: { schedulingPolicy: { gang: { minCount: 1 } } },
  };
  return create(object);
}

/** On a node of its own that nobody looks after: it ends at once when it is deleted. */
function member(name: string, podGroupName: string): Step {
  const schedulingGroup = { podGroupName };
  return create(pod(name, { nodeName: "nowhere", terminationGracePeriodSeconds: 0, schedulingGroup }));
}

const ended = (name: string, phase: "Succeeded" | "Failed"): Step => ({
  do: "patch",
  target: `pods/${name}`,
  subresource: "status",
  body: { status: { phase } },
});
const remove = (target: `${"pods" | "podGroups"}/${string}`): Step => ({ do: "delete", target });
const gone = (target: `${"pods" | "podGroups"}/${string}`): Step => ({ do: "until gone", target });
const stays = (name: string): Step => ({
  do: "stays",
  target: `podGroups/${name}`,
  holds: { "metadata.finalizers.0": FINALIZER },
  forMs: HELD_MS,
});

export const groups: readonly Scenario[] = inArea("groups", [
  { name: "group-that-nobody-deletes", steps: [group("web"), member("one", "web"), stays("web")] },
  {
    name: "group-without-pods-deleted",
    steps: [group("web"), remove("podGroups/web"), gone("podGroups/web")],
  },
  {
    name: "group-deleted-before-its-pods",
    steps: [
      group("web"),
      member("one", "web"),
      member("two", "web"),
      remove("podGroups/web"),
      stays("web"),
      remove("pods/one"),
      gone("pods/one"),
      stays("web"),
      remove("pods/two"),
      gone("podGroups/web"),
    ],
  },
  {
    name: "group-deleted-before-its-pods-end",
    steps: [
      group("web"),
      member("one", "web"),
      member("two", "web"),
      remove("podGroups/web"),
      ended("one", "Succeeded"),
      stays("web"),
      ended("two", "Failed"),
      gone("podGroups/web"),
    ],
  },
  {
    name: "group-deleted-after-its-pods-ended",
    steps: [
      group("web"),
      member("one", "web"),
      ended("one", "Succeeded"),
      remove("podGroups/web"),
      gone("podGroups/web"),
    ],
  },
  {
    name: "group-deleted-beside-another",
    steps: [
      group("web"),
      group("other"),
      member("one", "other"),
      remove("podGroups/web"),
      gone("podGroups/web"),
      remove("podGroups/other"),
      stays("other"),
    ],
  },
  {
    name: "group-with-a-finalizer-of-others-deleted",
    steps: [
      group("web", ["example.com/own"]),
      remove("podGroups/web"),
      {
        do: "until",
        target: "podGroups/web",
        holds: { "metadata.finalizers.0": "example.com/own", "metadata.finalizers.1": undefined },
      },
    ],
  },
  {
    name: "group-made-anew-for-the-pods-of-another",
    steps: [
      group("web"),
      remove("podGroups/web"),
      gone("podGroups/web"),
      member("one", "web"),
      group("web"),
      remove("podGroups/web"),
      stays("web"),
    ],
  },
  {
    name: "group-that-waits-over-a-restart",
    alone: true,
    steps: [
      group("web"),
      member("one", "web"),
      remove("podGroups/web"),
      stays("web"),
      { do: "restart manager" },
      stays("web"),
      remove("pods/one"),
      gone("podGroups/web"),
    ],
  },
]);
