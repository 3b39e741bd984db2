import { expect, test } from "vitest";
import { stored } from "../../test/harness/stored.ts";
import { settle } from "../testing/virtual-clock.ts";
import type { Stored } from "../api/object.ts";
import { resources } from "../api/resources.ts";
import type { Pod } from "../api/types/core-v1.gen.ts";
import { ApiError } from "../client/errors.ts";
import { MOST_DELETIONS_AT_ONCE, PodBatches } from "./pod-batches.ts";

const batches = new PodBatches({ create: async () => stored({ metadata: {} }) }, resources.jobs);
const podsOf = (count: number): readonly Stored<Pod>[] =>
  Array.from({ length: count }, (_, index) => stored<Pod>({ metadata: { name: `pod-${index}` } }));

test("pods are deleted many at a time, but not all at once", async () => {
  let [running, most] = [0, 0];
  const pods = podsOf(3 * MOST_DELETIONS_AT_ONCE);
  const { removed, errors } = await batches.remove(pods, async () => {
    most = Math.max(most, ++running);
    await settle();
    running--;
  });
  expect([most, removed.length, errors]).toEqual([MOST_DELETIONS_AT_ONCE, pods.length, []]);
});

test("each pod is tried, and one that is gone counts as deleted", async () => {
  const refused = new Error("no");
  const gone = new ApiError("gone", { code: 404, reason: "NotFound", method: "DELETE", path: "/" });
  const { removed, errors } = await batches.remove(podsOf(4), async ({ metadata }) => {
    if (metadata.name === "pod-1") throw refused;
    if (metadata.name === "pod-2") throw gone;
  });
  expect(removed.map(({ metadata }) => metadata.name)).toEqual(["pod-0", "pod-2", "pod-3"]);
  expect(errors).toEqual([refused]);
});
