import { expect, test } from "vitest";
import { parseLabelSelector } from "../../pkg/api/labels-parse.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { listerOf } from "../../test/harness/lister-of.ts";
import { TRACKING_FINALIZER } from "./job-pods.ts";
import { trackedPods } from "./sync-orphans.ts";
import { TRACKED_PODS_INDEX, trackedPodsIndex } from "./tracked-pods.ts";

const UID = "batch.kubernetes.io/controller-uid";

function pod(name: string, labels: Readonly<Record<string, string>>, isTracked = true, namespace = "a"): Pod {
  return { metadata: { name, namespace, labels, ...(isTracked && { finalizers: [TRACKING_FINALIZER] }) } };
}

const all = [
  pod("of-one", { [UID]: "1", app: "x" }),
  pod("of-one-and-different", { [UID]: "1", app: "y" }),
  pod("of-one-and-let-go", { [UID]: "1", app: "x" }, false),
  pod("elsewhere", { [UID]: "1", app: "x" }, true, "b"),
  pod("of-two", { [UID]: "2", app: "x" }),
  pod("of-nobody", { app: "x" }),
];

test.each([
  { selector: `${UID}=1`, found: ["of-one", "of-one-and-different"] },
  { selector: `${UID}=1,app=x`, found: ["of-one"] },
  { selector: `${UID} in (1)`, found: ["of-one", "of-one-and-different"] },
  { selector: `${UID} in (1,2)`, found: ["of-one", "of-one-and-different", "of-two"] },
  { selector: `${UID}=3`, found: [] },
  { selector: "app=x", found: ["of-one", "of-two", "of-nobody"] },
  { selector: `!${UID}`, found: ["of-nobody"] },
])("$selector finds $found", ({ selector, found }) => {
  const pods = trackedPods(
    listerOf(all, { [TRACKED_PODS_INDEX]: trackedPodsIndex }),
    "a",
    parseLabelSelector(selector),
  );
  expect(pods.map(({ metadata }) => metadata.name)).toEqual(found);
});
