import type { CachedPod } from "./fields.ts";
import { labelOf } from "./label.ts";

type Containers = NonNullable<NonNullable<CachedPod["spec"]>["containers"]>;
type Container = Pick<Containers[number], "securityContext" | "volumeMounts">;

/**
 * By the names of the volumes that are mounted: the labels of the containers that do so. A container that says nothing has
 * what the pod says; where that is nothing, too, it has none.
 */
export function labelsOfMounts({ spec }: CachedPod): ReadonlyMap<string, ReadonlySet<string>> {
  const mounts = new Map<string, Set<string>>();
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {};
  const all: readonly (readonly Container[])[] = [initContainers, containers, ephemeralContainers];
  for (const { securityContext, volumeMounts = [] } of all.flat()) {
    const options = securityContext?.seLinuxOptions ?? spec?.securityContext?.seLinuxOptions;
    for (const { name } of volumeMounts) {
      const labels = mounts.get(name) ?? new Set();
      if (options !== undefined) labels.add(labelOf(options));
      mounts.set(name, labels);
    }
  }
  return mounts;
}
