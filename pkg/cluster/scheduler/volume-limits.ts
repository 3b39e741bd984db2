import { podClaims } from "../../api/pod-claims.ts";
import type { PersistentVolume, Pod } from "../../api/types/core-v1.gen.ts";
import type { CSINode } from "../../api/types/storage-v1.gen.ts";
import type { Lister } from "../../cache/store/lister.ts";
import { storageClassOf, type VolumeListers } from "./pod-volumes.ts";

/** In the words of the real scheduler. */
const TOO_MANY = "node(s) exceed max volume count";

/** Volumes by their drivers, each by what tells it from others of its driver. */
type DriverVolumes = ReadonlyMap<string, ReadonlySet<string>>;

export interface LimitListers extends VolumeListers {
  readonly csiNodes: Pick<Lister<CSINode>, "get">;
}

/**
 * Why the node cannot take the volumes of the pod beside those of its pods: drivers say how many of theirs a node can have. A
 * volume that several pods of the node use counts once.
 */
export function exceedsVolumeLimits(
  volumes: DriverVolumes,
  node: string,
  podsOnNode: Iterable<Pod>,
  listers: LimitListers,
): string | undefined {
  if (volumes.size === 0) return undefined;
  const limits = limitsOf(listers.csiNodes.get(undefined, node));
  if (![...volumes.keys()].some((driver) => limits.has(driver))) return undefined;
  const taken = [...podsOnNode].map((pod) => volumesByDriver(pod, listers));
  for (const [driver, wanted] of volumes) {
    const limit = limits.get(driver);
    const all = new Set(taken.flatMap((each) => [...(each.get(driver) ?? [])]));
    const before = all.size;
    for (const id of wanted) all.add(id);
    if (limit !== undefined && all.size > before && all.size > limit) return TOO_MANY;
  }
  return undefined;
}

function limitsOf(node: CSINode | undefined): ReadonlyMap<string, number> {
  const drivers = node?.spec.drivers ?? [];
  return new Map(
    drivers.flatMap(({ name, allocatable }): [string, number][] =>
      allocatable?.count === undefined ? [] : [[name, allocatable.count]],
    ),
  );
}

/** Of claims that have no volume yet the one counts that is going to be made for them. */
export function volumesByDriver(pod: Pod, { claims, volumes, classes }: VolumeListers): DriverVolumes {
  const found = new Map<string, Set<string>>();
  const { namespace } = pod.metadata;
  for (const { name } of podClaims(pod)) {
    const claim = claims.get(namespace, name);
    if (claim === undefined) continue;
    const volume = volumes.get(undefined, claim.spec?.volumeName ?? "");
    const driver = volume === undefined ? storageClassOf(claim, classes)?.provisioner : driverOf(volume);
    if (driver === undefined) continue;
    const ids = found.get(driver) ?? new Set();
    found.set(driver, ids.add(volume?.spec?.csi?.volumeHandle ?? `${namespace}/${name}`));
  }
  return found;
}

const driverOf = ({ spec }: PersistentVolume): string | undefined => spec?.csi?.driver;
