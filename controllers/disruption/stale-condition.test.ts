import { describe, expect, test } from "vitest";
import { formatTime } from "../../pkg/api/time.ts";
import { pod } from "./samples.test-data.ts";
import { untilStaleMs, withdrawalPatch } from "./stale-condition.ts";

const NOW = 1_000_000_000;
const announced = (secondsAgo: number, status = "True", reason = "EvictionByEvictionAPI") => [
  { type: "DisruptionTarget", status, reason, lastTransitionTime: formatTime(NOW - secondsAgo * 1_000) },
];

// upstream: pkg/controller/disruption/disruption_test.go#TestStalePodDisruption
describe("an announced disruption", () => {
  test.each([
    ["that is not acted on is stale after two minutes", { conditions: announced(121) }, 0],
    ["is waited for before", { conditions: announced(119) }, 1_000],
    ["of a pod that is going is no matter", { conditions: announced(121), deleting: true }, undefined],
    ["that there never was is none", { deleting: true }, undefined],
    ["that was taken back is none", { conditions: announced(121, "False") }, undefined],
    [
      "by a kubelet takes as long as it takes",
      { conditions: announced(121, "True", "TerminationByKubelet") },
      undefined,
    ],
    ["of a pod that has failed is no matter", { conditions: announced(121), phase: "Failed" }, undefined],
    [
      "of a pod that has succeeded is no matter",
      { conditions: announced(121), phase: "Succeeded" },
      undefined,
    ],
  ])("%s", (_, sketch, expected) => {
    expect(untilStaleMs(pod("p", sketch), NOW)).toBe(expected);
  });

  test("is taken back from the very pod that was looked at", () => {
    const { metadata, ...rest } = pod("p", { conditions: announced(121) });
    const versioned = { ...rest, metadata: { ...metadata, resourceVersion: "7", generation: 3 } };
    expect(withdrawalPatch(versioned, NOW)).toMatchObject({
      metadata: { uid: "p-uid", resourceVersion: "7" },
      status: {
        conditions: [{ type: "DisruptionTarget", status: "False", reason: null, observedGeneration: 3 }],
      },
    });
  });
});
