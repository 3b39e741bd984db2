import type { PartialObject } from "../../pkg/api/object.ts";
import type { EventHandler } from "../../pkg/cache/informer/informer.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import { type Change, changeHandler, isBackground } from "../../pkg/controller/change.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { asStored } from "./stored.ts";

/** The handler of an informer, for objects of a test. */
export interface RuleHandler<T> {
  onAdd(object: T, listed: boolean): void;
  onUpdate(before: T, after: T): void;
  onDelete(object: T, missed: boolean): void;
}

/** What a cache does with a rule: the keys that it wakes go into the queue. */
export function ruleHandler<T extends PartialObject, K = string>(
  rule: WakeRule<T, K>,
  queue: WorkQueue<K>,
): RuleHandler<T> {
  let told: Change<T>;
  const handler = changeHandler<T>((change) => {
    told = change;
    rule(change, (key, afterMs) => {
      const priority = isBackground(told) ? "background" : "live";
      if (afterMs === undefined) queue.add(key, priority);
      else queue.addAfter(key, afterMs, priority);
    });
  });
  return ofTest(handler);
}

/** The same for what hears changes and wakes nobody. */
export function listenerHandler<T extends PartialObject>(
  listener: (change: Change<T>) => void,
): RuleHandler<T> {
  return ofTest(changeHandler(listener));
}

function ofTest<T extends PartialObject>(handler: EventHandler<T>): RuleHandler<T> {
  return {
    onAdd: (object, listed) => handler.onAdd?.(asStored(object), listed),
    onUpdate: (before, after) => handler.onUpdate?.(asStored(before), asStored(after)),
    onDelete: (object, missed) => handler.onDelete?.(asStored(object), missed),
  };
}
