import type { ApiObject } from "../../pkg/api/object.ts";
import type { EventHandler } from "../../pkg/cache/informer/informer.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import { type Change, changeHandler, isBackground } from "../../pkg/controller/change.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";

/** What a cache does with a rule: the keys that it wakes go into the queue. */
export function ruleHandler<T extends ApiObject, K = string>(
  rule: WakeRule<T, K>,
  queue: WorkQueue<K>,
): EventHandler<T> {
  let told: Change<T>;
  return changeHandler((change) => {
    told = change;
    rule(change, (key, afterMs) => {
      const priority = isBackground(told) ? "background" : "live";
      if (afterMs === undefined) queue.add(key, priority);
      else queue.addAfter(key, afterMs, priority);
    });
  });
}
