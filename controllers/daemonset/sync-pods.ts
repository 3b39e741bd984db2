import type { PartialObject } from "../../pkg/api/object.ts";
import { isControlledBy } from "../../pkg/api/owner-references.ts";
import type { Round } from "./context.ts";
import type { CachedPod } from "./fields.ts";

/** The pods of a sync: those that were claimed at its start, and what it has created since. */
export interface ClaimedPods {
  /** The pods as the cache shows them now, and those that it has yet to show as the server gave them. */
  now(): readonly CachedPod[];
  created(pods: readonly CachedPod[]): void;
}

/** Adopts and releases pods, once per sync: the cache may show an adopted pod as an orphan for a while. */
export async function claimPods({ sync, context, selector }: Round): Promise<ClaimedPods> {
  const { owned } = context;
  const daemonSet = sync.owner;
  const matches = (object: PartialObject): boolean => selector.matches(object.metadata.labels);
  const pods = owned.ownedByOrFree(daemonSet);
  const orphans = new Set(
    pods.filter((pod) => !isControlledBy(pod, daemonSet)).map(({ metadata }) => metadata.uid),
  );
  const claimed = await owned.claim(sync, pods, matches);
  const adopted = new Set(claimed.map(({ metadata }) => metadata.uid)).intersection(orphans);
  const created: CachedPod[] = [];
  return {
    now: () => {
      const cached = owned
        .ownedByOrFree(daemonSet)
        .filter((pod) => matches(pod) && (isControlledBy(pod, daemonSet) || adopted.has(pod.metadata.uid)));
      const shown = new Set<string | undefined>(cached.map(({ metadata }) => metadata.uid));
      return [...cached, ...created.filter(({ metadata }) => !shown.has(metadata.uid))];
    },
    created: (pods) => created.push(...pods),
  };
}
