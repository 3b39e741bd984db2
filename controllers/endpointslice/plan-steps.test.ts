import { expect, test } from "vitest";
import { decideSlices } from "./plan.ts";
import { node, pods, service } from "./samples.test-data.ts";

/** So many pauses that no stretch of work between them has more than a few dozen pods. */
test.each([undefined, "Auto"])("deciding on thousands of pods pauses all the time, topology %s", (mode) => {
  const count = 5_000;
  const foo = service("foo");
  const annotations = mode === undefined ? {} : { "service.kubernetes.io/topology-mode": mode };
  const steps = decideSlices({
    service: { ...foo, metadata: { ...foo.metadata, annotations } },
    pods: pods(count),
    nodes: new Map([["node-1", node("node-1")]]),
    slices: [],
    maxEndpoints: 100,
    family: "IPv4",
    shares: undefined,
    hinted: false,
  });
  let pauses = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) pauses++;
  expect(step.value.create).toHaveLength(count / 100);
  expect(pauses).toBeGreaterThan(count / 50);
});
