import { expect, test } from "vitest";
import type { CachedClaim, CachedVolume } from "./expansion.ts";
import { decideOnController } from "./expansion.ts";

interface Sizes {
  readonly asks: string;
  readonly has?: string;
  readonly allocated?: string;
  readonly status?: string;
  readonly volume: string;
  readonly before?: string;
}

function decide({ asks, has = "1G", allocated, status, volume, before }: Sizes): string {
  const claim: CachedClaim = {
    metadata: { name: "data", namespace: "default" },
    spec: { resources: { requests: { storage: asks } } },
    status: {
      capacity: { storage: has },
      ...(allocated !== undefined && { allocatedResources: { storage: allocated } }),
      ...(status !== undefined && { allocatedResourceStatuses: { storage: status } }),
    },
  };
  const annotations = { "volume.alpha.kubernetes.io/pre-resize-capacity": before ?? "" };
  const kept: CachedVolume = {
    metadata: { name: "vol", ...(before !== undefined && { annotations }) },
    spec: { capacity: { storage: volume } },
  };
  const plan = decideOnController(claim, kept, "flex");
  return plan.kind === "expand" ? `expand ${plan.size}` : plan.kind;
}

// upstream: pkg/volume/util/operationexecutor/operation_generator_test.go#TestOperationGenerator_GenerateExpandAndRecoverVolumeFunc
test.each<[string, Sizes, string]>([
  ["smaller than asked for is expanded", { asks: "2G", volume: "1G" }, "expand 2G"],
  [
    "as large as asked for is expanded anew: it may not have been told",
    { asks: "1G", volume: "1G" },
    "expand 1G",
  ],
  [
    "that nodes are asked for is left to them",
    { asks: "1G", allocated: "1G", status: "NodeResizePending", volume: "1G" },
    "nothing",
  ],
  [
    "that nodes have failed with is given to them again",
    { asks: "2G", allocated: "2G", status: "NodeResizeInfeasible", volume: "2G" },
    "retry on nodes",
  ],
  [
    "that nodes work at is left to them",
    { asks: "2G", allocated: "2G", status: "NodeResizeInProgress", volume: "2G" },
    "nothing",
  ],
  [
    "that was begun is brought to its end first",
    { asks: "4G", allocated: "3G", status: "ControllerResizeInProgress", volume: "1G" },
    "expand 3G",
  ],
  [
    "that was begun, though less is asked for by now",
    { asks: "2G", allocated: "3G", status: "ControllerResizeInProgress", volume: "3G" },
    "expand 3G",
  ],
  [
    "whose nodes wait for less is expanded to that",
    { asks: "4G", allocated: "3G", status: "NodeResizePending", volume: "2G" },
    "expand 3G",
  ],
  [
    "that could not be so large is tried with what is asked for now",
    { asks: "2G", allocated: "9G", status: "ControllerResizeInfeasible", volume: "1G" },
    "expand 2G",
  ],
  [
    "that could not be so large, and is large enough",
    { asks: "2G", allocated: "3G", status: "ControllerResizeInfeasible", volume: "2G" },
    "expand 3G",
  ],
  [
    "of which only the size was said is brought to that",
    { asks: "2G", allocated: "3G", volume: "2G" },
    "expand 3G",
  ],
  [
    "that nodes are done with is cleaned up",
    { asks: "2G", has: "2G", volume: "2G", before: "1G" },
    "clean up",
  ],
  [
    "that nodes are done with, in other words",
    { asks: "2G", has: "2000M", volume: "2G", before: "1G" },
    "clean up",
  ],
  [
    "that nodes are not done with is not",
    { asks: "2G", has: "2G", status: "NodeResizePending", volume: "3G", before: "1G" },
    "nothing",
  ],
])("a volume %s", (_, sizes, expected) => {
  expect(decide(sizes)).toBe(expected);
});
