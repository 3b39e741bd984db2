import { bothWays, type Conflict } from "./conflict.ts";
import { type LabelParts, labelsConflict, partsOf } from "./label.ts";
import type { VolumeIdentity } from "./volume-identity.ts";

/** How a pod uses a volume. */
export interface VolumeUse {
  readonly volume: VolumeIdentity;
  /** What the volume is mounted with; "" where it is not mounted so. */
  readonly label: string;
  readonly policy: string;
}

/** Pods that use a volume alike. */
interface Group extends Pick<VolumeUse, "label" | "policy"> {
  readonly parts: LabelParts;
  readonly pods: Set<string>;
}

interface UsedVolume {
  readonly driver: string | undefined;
  /** By what their pods have in common. */
  readonly groups: Map<string, Group>;
  readonly groupOfPod: Map<string, Group>;
}

/** A pod has come to a group. */
interface Arrival {
  readonly group: Group;
  /** Those that are in conflict with it. */
  readonly others: readonly Group[];
}

/** The volumes that pods use, and how. Thousands may use one, nearly all of them alike. */
export class VolumeUses {
  readonly #volumes = new Map<string, UsedVolume>();
  readonly #volumesOfPod = new Map<string, ReadonlySet<string>>();

  /** The pod, by its key, uses these and no others. Gives the conflicts that are new with that, for both pods of each. */
  set(pod: string, uses: readonly VolumeUse[]): Generator<Conflict> {
    const ids = new Set(uses.map(({ volume }) => volume.id));
    for (const id of this.#volumesOfPod.get(pod) ?? []) if (!ids.has(id)) this.#remove(pod, id);
    if (ids.size === 0) this.#volumesOfPod.delete(pod);
    else this.#volumesOfPod.set(pod, ids);
    return newConflicts(
      pod,
      uses.flatMap((use) => this.#use(pod, use)),
    );
  }

  delete(pod: string): void {
    this.set(pod, []);
  }

  /** The pods that use volumes of the driver, of which nothing is known any more: they are to be looked at anew. */
  forgetDriver(driver: string): readonly string[] {
    const pods = new Set<string>();
    for (const [id, used] of this.#volumes) {
      if (used.driver !== driver) continue;
      for (const pod of used.groupOfPod.keys()) pods.add(pod);
      this.#volumes.delete(id);
    }
    return [...pods];
  }

  /** All conflicts that there are, for both pods of each. */
  *conflicts(): Generator<Conflict> {
    for (const { groups } of this.#volumes.values()) {
      const seen: Group[] = [];
      for (const group of groups.values()) {
        for (const other of seen) if (areInConflict(group, other)) yield* conflictsOfGroups(group, other);
        seen.push(group);
      }
    }
  }

  get size(): number {
    return this.#volumes.size;
  }

  /** Nothing where the pod uses the volume as it did before. */
  #use(pod: string, { volume: { id, driver }, label, policy }: VolumeUse): readonly Arrival[] {
    const used = this.#volumes.get(id) ?? newUsedVolume(driver);
    this.#volumes.set(id, used);
    const { groups, groupOfPod } = used;
    const key = `${policy} ${label}`;
    const group = groups.get(key) ?? { label, policy, parts: partsOf(label), pods: new Set<string>() };
    if (groupOfPod.get(pod) === group) return [];
    leave(used, pod);
    groups.set(key, group);
    groupOfPod.set(pod, group);
    group.pods.add(pod);
    return [{ group, others: [...groups.values()].filter((other) => areInConflict(group, other)) }];
  }

  #remove(pod: string, id: string): void {
    const used = this.#volumes.get(id);
    if (used === undefined) return;
    leave(used, pod);
    if (used.groupOfPod.size === 0) this.#volumes.delete(id);
  }
}

function newUsedVolume(driver: string | undefined): UsedVolume {
  return { driver, groups: new Map(), groupOfPod: new Map() };
}

function leave({ groups, groupOfPod }: UsedVolume, pod: string): void {
  const group = groupOfPod.get(pod);
  if (group === undefined) return;
  groupOfPod.delete(pod);
  group.pods.delete(pod);
  if (group.pods.size === 0) groups.delete(`${group.policy} ${group.label}`);
}

function* newConflicts(pod: string, arrivals: readonly Arrival[]): Generator<Conflict> {
  for (const { group, others } of arrivals)
    for (const other of others)
      for (const otherPod of other.pods) yield* conflictsOf([pod, group], [otherPod, other]);
}

function areInConflict(one: Group, other: Group): boolean {
  return one.policy !== other.policy || labelsConflict(one.parts, other.parts);
}

function* conflictsOfGroups(one: Group, other: Group): Generator<Conflict> {
  for (const pod of one.pods)
    for (const otherPod of other.pods) yield* conflictsOf([pod, one], [otherPod, other]);
}

function* conflictsOf(
  [pod, one]: readonly [string, Group],
  [otherPod, other]: readonly [string, Group],
): Generator<Conflict> {
  const between = { pod, otherPod };
  if (one.policy !== other.policy)
    yield* bothWays({
      ...between,
      property: "SELinuxChangePolicy",
      value: one.policy,
      otherValue: other.policy,
    });
  if (labelsConflict(one.parts, other.parts))
    yield* bothWays({ ...between, property: "SELinuxLabel", value: one.label, otherValue: other.label });
}
