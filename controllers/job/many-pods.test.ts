import type { Stored } from "../../pkg/api/object.ts";
import { expect, test } from "vitest";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { decideAccounting } from "./accounting.ts";
import { INDEX_ANNOTATION, TRACKING_FINALIZER } from "./job-pods.ts";
import { decidePods } from "./pods-plan.ts";
import { job, NOW_MS, pod } from "./samples.test-data.ts";
import { viewOf } from "./view.ts";

const MANY = 20_000;

/** Pods of an indexed Job, and how often their indexes were read, which is text that has to be parsed. */
function manyPods(phase: (index: number) => string): {
  readonly pods: readonly Stored<Pod>[];
  readonly reads: () => number;
} {
  let reads = 0;
  const pods = Array.from({ length: MANY }, (_, place): Stored<Pod> => {
    // In no order, as a cache has them.
    const index = (place * 7_919) % MANY;
    const made = pod({ uid: `${index}`, phase: phase(index) });
    const annotations = {
      get [INDEX_ANNOTATION](): string {
        reads++;
        return `${index}`;
      },
    };
    return { ...made, metadata: { ...made.metadata, annotations, finalizers: [TRACKING_FINALIZER] } };
  });
  return { pods, reads: () => reads };
}

const indexed = { completionMode: "Indexed", completions: MANY, backoffLimitPerIndex: 3 };

test.each([
  ["run", (): string => "Running"],
  ["have succeeded", (): string => "Succeeded"],
  ["have failed", (): string => "Failed"],
  ["are in any state", (index: number): string => ["Running", "Succeeded", "Failed"][index % 3] ?? ""],
])("what is decided about %s-pods reads each a few times, however many there are", (_, phase) => {
  const { pods, reads } = manyPods(phase);
  const view = viewOf(job({ ...indexed, parallelism: 10 }), pods);
  decidePods(view, NOW_MS);
  decideAccounting(view, undefined, {});
  expect(reads() / MANY).toBeLessThan(15);
});
