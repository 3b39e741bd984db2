import type { ApiObject } from "../../pkg/api/object.ts";
import { isControlledBy } from "../../pkg/api/owner-references.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Round } from "./context.ts";

/** The pods of a sync: those that were claimed at its start, and what it has created since. */
export interface ClaimedPods {
  /** As the cache shows them now; what it does not show yet is as the server gave it. */
  now(): readonly Pod[];
  created(pods: readonly Pod[]): void;
}

/** Adopts and releases pods. Not done again in the same sync: the cache may yet show as an orphan what was adopted. */
export async function claimPods({ sync, context, selector }: Round): Promise<ClaimedPods> {
  const { owned } = context;
  const daemonSet = sync.owner;
  const matches = (object: ApiObject): boolean => selector.matches(object.metadata.labels);
  const pods = owned.ownedByOrFree(daemonSet);
  const orphans = new Set(
    pods.filter((pod) => !isControlledBy(pod, daemonSet)).map(({ metadata }) => metadata.uid),
  );
  const claimed = await owned.claim(sync, pods, matches);
  const adopted = new Set(claimed.map(({ metadata }) => metadata.uid)).intersection(orphans);
  const created: Pod[] = [];
  return {
    now: () => {
      const cached = owned
        .ownedByOrFree(daemonSet)
        .filter((pod) => matches(pod) && (isControlledBy(pod, daemonSet) || adopted.has(pod.metadata.uid)));
      const shown = new Set(cached.map(({ metadata }) => metadata.uid));
      return [...cached, ...created.filter(({ metadata }) => !shown.has(metadata.uid))];
    },
    created: (pods) => created.push(...pods),
  };
}
