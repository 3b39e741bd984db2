import { beforeEach, expect, test } from "vitest";
import { drain } from "../../test/harness/lister-of.ts";
import { ruleHandler } from "../../test/harness/rule-handler.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { ApiObject } from "../api/object.ts";
import type { WorkQueue } from "../workqueue/queue.ts";
import { createWorkQueue } from "../workqueue/work-queue.ts";
import type { Change } from "./change.ts";
import { itself, itsNamespace, onlyWhen } from "./wake-rules.ts";

const one: ApiObject = { metadata: { namespace: "team", name: "one", uid: "1", resourceVersion: "1" } };
const changed: ApiObject = { metadata: { ...one.metadata, resourceVersion: "2" } };
const another: ApiObject = { metadata: { ...one.metadata, uid: "2", resourceVersion: "3" } };

let queue: WorkQueue<string>;
beforeEach(() => {
  queue = createWorkQueue<string>({ clock: new VirtualClock() });
});

test.each<[readonly Change<ApiObject>["type"][], readonly number[]]>([
  [["added"], [1, 0, 0, 1]],
  [["updated"], [0, 1, 0, 0]],
  [["deleted"], [0, 0, 1, 1]],
  [
    ["added", "updated"],
    [1, 1, 0, 1],
  ],
])("a rule for what was %s", (types, expected) => {
  const handler = ruleHandler(onlyWhen(types, itself), queue);
  const woken: number[] = [];
  const note = (): void => void woken.push(drain(queue).length);
  handler.onAdd(one, false);
  note();
  handler.onUpdate(one, changed);
  note();
  handler.onDelete(one, false);
  note();
  // Replaced under its name: the first was deleted, the second added.
  handler.onUpdate(one, another);
  note();
  expect(woken).toEqual(expected);
});

test("an object wakes the namespace that it is in", () => {
  ruleHandler(itsNamespace, queue).onDelete(one, false);
  expect(drain(queue)).toEqual(["team"]);
});
