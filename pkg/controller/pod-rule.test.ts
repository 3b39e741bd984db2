import { beforeEach, expect, test } from "vitest";
import { drain, listerOf } from "../../test/harness/lister-of.ts";
import { type RuleHandler, ruleHandler } from "../../test/harness/rule-handler.ts";
import { stored } from "../../test/harness/stored.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { selectorFromSpec } from "../api/label-selector.ts";
import { newControllerRef } from "../api/owner-references.ts";
import type { Stored } from "../api/object.ts";
import { resources } from "../api/resources.ts";
import type { StatefulSet } from "../api/types/apps-v1.gen.ts";
import type { Pod } from "../api/types/core-v1.gen.ts";
import type { WorkQueue } from "../workqueue/queue.ts";
import { createWorkQueue } from "../workqueue/work-queue.ts";
import { itsPodOwner } from "./pod-rule.ts";
import { itsOwner } from "./wake-rules.ts";

let clock: VirtualClock;
let queue: WorkQueue<string>;
beforeEach(() => {
  clock = new VirtualClock();
  queue = createWorkQueue<string>({ clock });
});

const web = owner("web", { app: "web" });
const unfilled = owner("unfilled", {});

function handlerOf(slackMs?: number): RuleHandler<Pod> {
  const owners = { lister: listerOf([web, unfilled]), resource: resources.statefulSets };
  const how = itsPodOwner<StatefulSet>({
    selector: ({ spec }) => selectorFromSpec(spec?.selector),
    minReadySeconds: ({ spec }) => spec?.minReadySeconds ?? 0,
    ...(slackMs !== undefined && { slackMs }),
  });
  return ruleHandler(itsOwner({ owners, ...how }), queue);
}

test("a pod that nobody controls wakes who selects it, and nobody with an empty selector", () => {
  const { ownerReferences: _, ...free } = pod("1", "False").metadata;
  handlerOf().onAdd({ metadata: free }, false);
  expect(drain(queue)).toEqual(["default/web"]);
});

test.each([
  ["when it counts as available", undefined, 7_000],
  ["a little after that, where clocks may differ", 1_000, 8_000],
])("a pod that became ready wakes its owner once more %s", async (_, slackMs, waitMs) => {
  handlerOf(slackMs).onUpdate(pod("1", "False"), pod("2", "True"));
  expect(drain(queue)).toEqual(["default/web"]);
  await clock.advanceBy(waitMs - 1);
  expect(drain(queue)).toEqual([]);
  await clock.advanceBy(1);
  expect(drain(queue)).toEqual(["default/web"]);
});

test.each([
  ["was ready before", "True", "True"],
  ["is not ready any more", "True", "False"],
])("a pod that %s wakes its owner once", async (_, before, after) => {
  handlerOf().onUpdate(pod("1", before), pod("2", after));
  expect(drain(queue)).toEqual(["default/web"]);
  await clock.advanceBy(60_000);
  expect(drain(queue)).toEqual([]);
});

function owner(name: string, matchLabels: Readonly<Record<string, string>>): Stored<StatefulSet> {
  const spec = { selector: { matchLabels }, template: {}, minReadySeconds: 7 };
  return stored<StatefulSet>({ metadata: { name, namespace: "default", uid: `${name}-uid` }, spec });
}

function pod(resourceVersion: string, ready: string): Pod {
  return {
    metadata: {
      name: "web-0",
      namespace: "default",
      resourceVersion,
      labels: { app: "web" },
      ownerReferences: [newControllerRef(web, resources.statefulSets)],
    },
    status: { conditions: [{ type: "Ready", status: ready }] },
  };
}
