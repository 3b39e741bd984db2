import { describe, expect, test } from "vitest";
import { deployment } from "./samples.test-data.ts";
import { desiredReplicas, maxSurge, maxUnavailable } from "./strategy.ts";

describe("pods that may be unavailable", () => {
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestMaxUnavailable and #TestMinAvailable. Desired,
  // maxUnavailable, and what both come to.
  test.each<[string, number, number | string, number]>([
    ["fewer than desired", 10, 5, 5],
    ["as many as desired", 10, 10, 10],
    ["never more than desired", 5, 10, 5],
    ["none when none is desired", 0, 10, 0],
    ["a share", 10, "50%", 5],
    ["another share", 10, "60%", 6],
    ["all of them", 10, "100%", 10],
    ["all of a few", 5, "100%", 5],
  ])("%s", (_, replicas, unavailable, expected) => {
    const owner = deployment({ replicas, surge: 1, unavailable });
    expect(maxUnavailable(owner)).toBe(expected);
    expect(desiredReplicas(owner) - maxUnavailable(owner)).toBe(replicas - expected);
  });

  test("none where old pods go first", () => {
    expect(maxUnavailable(deployment({ strategy: "Recreate", replicas: 10 }))).toBe(0);
  });
});

describe("surge and unavailable pods together", () => {
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestResolveFenceposts
  test.for<[string, number | string, number | string, number, [number, number]]>([
    ["no pods are desired", "0%", "0%", 0, [0, 0]],
    ["surge is rounded up and unavailable down", "39%", "39%", 10, [4, 3]],
    ["a surge that is no share moves nothing", "oops", "39%", 10, [0, 0]],
    ["an unavailable that is no share moves nothing", "55%", "urg", 10, [0, 0]],
    ["without surge", 0, "39%", 10, [0, 3]],
    ["without unavailable", "39%", 0, 10, [4, 0]],
    ["without both one goes at a time", 0, 0, 10, [0, 1]],
  ])("%s", ([, surge, unavailable, replicas, expected]) => {
    const owner = deployment({ replicas, surge, unavailable });
    expect([maxSurge(owner), maxUnavailable(owner)]).toEqual(expected);
  });
});
