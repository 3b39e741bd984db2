import { describe, expect, test } from "vitest";
import { inOneGo } from "../../pkg/api/steps.ts";
import type { Container, PodSpec } from "../../pkg/api/types/core-v1.gen.ts";
import { requestsOf } from "./pod-requests.ts";

function container(name: string, cpu?: string, more: Partial<Container> = {}): Container {
  return { name, ...(cpu !== undefined && { resources: { requests: { cpu } } }), ...more };
}

const two = { containers: [container("container1", "100m"), container("container2", "50m")] };
const whole = { resources: { requests: { cpu: "800m" } } };
const oneWithout = { containers: [container("container1"), container("container2", "50m")] };

// upstream: pkg/controller/podautoscaler/replica_calculator_test.go#TestCalculateRequests,
// #TestCalculatePodRequestsFromContainers_NonExistentContainer
describe("what pods ask for", () => {
  test.each<[string, PodSpec, { container?: string; podLevelResources: boolean }, bigint | string]>([
    ["is that of their containers", two, { podLevelResources: false }, 150n],
    ["is that of their containers, where they do not ask as a whole", two, { podLevelResources: true }, 150n],
    ["as a whole goes before", { ...two, ...whole }, { podLevelResources: true }, 800n],
    [
      "is not known when one container does not say",
      oneWithout,
      { podLevelResources: false },
      "missing request for cpu in container container1 of Pod a",
    ],
    [
      "as a whole need not be said of containers",
      { ...oneWithout, ...whole },
      { podLevelResources: true },
      800n,
    ],
    ["of one container", two, { container: "container1", podLevelResources: false }, 100n],
    [
      "of one container is its own",
      { ...two, ...whole },
      { container: "container1", podLevelResources: true },
      100n,
    ],
    [
      "counts init containers that go on running",
      {
        containers: [container("container1", "100m")],
        initContainers: [container("once", "20m"), container("sidecar", "50m", { restartPolicy: "Always" })],
      },
      { podLevelResources: false },
      150n,
    ],
    [
      "of a container that is not there",
      two,
      { container: "other", podLevelResources: false },
      "container other not found in Pod a",
    ],
    [
      "as a whole may be said of something else",
      { ...two, resources: { requests: { memory: "1Gi" } } },
      { podLevelResources: true },
      150n,
    ],
    [
      "as a whole does not count while its gate is off",
      { ...two, ...whole },
      { podLevelResources: false },
      150n,
    ],
  ])("%s", (_, spec, how, expected) => {
    const requests = inOneGo(requestsOf([{ metadata: { name: "a" }, spec }], { resource: "cpu", ...how }));
    if (typeof requests === "string") return expect(requests).toBe(expected);
    expect([...requests]).toEqual([["a", expected]]);
  });

  test("none of no pods", () => {
    expect(inOneGo(requestsOf([], { resource: "cpu", podLevelResources: false }))).toEqual(new Map());
  });
});
