import type { Secret, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import type { EventHandler } from "../../../pkg/cache/informer.ts";
import type { WorkQueue } from "../../../pkg/workqueue/queue.ts";
import { accountKey, secretKey } from "./keys.ts";

export function accountHandler(queue: WorkQueue<string>): EventHandler<ServiceAccount> {
  return {
    onAdd: (account, inInitialList) => queue.add(accountKey(account), inInitialList ? "background" : "live"),
    onUpdate: (before, after) => {
      // Deleted and created anew between two looks: the first one's tokens must go.
      if (before.metadata.uid !== after.metadata.uid) queue.add(accountKey(before));
      queue.add(accountKey(after));
    },
    onDelete: (account) => queue.add(accountKey(account)),
  };
}

export function secretHandler(queue: WorkQueue<string>): EventHandler<Secret> {
  return {
    onAdd: (secret, inInitialList) => queue.add(secretKey(secret), inInitialList ? "background" : "live"),
    onUpdate: (_before, after) => queue.add(secretKey(after)),
    onDelete: (secret) => queue.add(secretKey(secret)),
  };
}
