import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import { classOf } from "../../pkg/api/volumes/claim-facts.ts";
import { attributesClassOf, modeOf } from "../../pkg/api/volumes/fit.ts";
import { type Sized, SortedBySize } from "./sorted-by-size.ts";

const MODES: readonly (readonly [mode: string, letters: string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

/** In one order, each once. upstream: pkg/apis/core/v1/helper/helpers.go#GetAccessModesAsString */
export function accessModesText(modes: readonly string[] = []): string {
  return MODES.flatMap(([mode, letters]) => (modes.includes(mode) ? [letters] : [])).join(",");
}

/** Access modes, as a text and as what can be compared. */
export interface Modes {
  readonly text: string;
  readonly letters: ReadonlySet<string>;
}

export function modesOf(text: string): Modes {
  return { text, letters: new Set(text === "" ? [] : text.split(",")) };
}

export function includesModes({ letters }: Modes, wanted: Modes): boolean {
  return wanted.letters.isSubsetOf(letters);
}

interface Group<T extends Sized> {
  readonly modes: Modes;
  readonly members: SortedBySize<T>;
}

/** Volumes or claims, by all that must be equal between the two, and by their access modes. */
export class VolumeGroups<T extends Sized> {
  readonly #groups = new Map<string, Map<string, Group<T>>>();

  add(place: Place, item: T): void {
    let groups = this.#groups.get(place.key);
    if (groups === undefined) this.#groups.set(place.key, (groups = new Map<string, Group<T>>()));
    let group = groups.get(place.modes);
    if (group === undefined)
      groups.set(place.modes, (group = { modes: modesOf(place.modes), members: new SortedBySize() }));
    group.members.add(item);
  }

  remove({ key, modes }: Place, item: Sized): void {
    const groups = this.#groups.get(key);
    const group = groups?.get(modes);
    group?.members.remove(item);
    if (group?.members.length === 0) groups?.delete(modes);
    if (groups?.size === 0) this.#groups.delete(key);
  }

  /** Those of the key, fewest access modes first. */
  at(key: string): readonly Group<T>[] {
    const groups = [...(this.#groups.get(key)?.values() ?? [])];
    return groups.toSorted(
      ({ modes: one }, { modes: other }) =>
        one.letters.size - other.letters.size || (one.text < other.text ? -1 : 1),
    );
  }
}

/** Where in such groups something belongs. */
export interface Place {
  readonly key: string;
  readonly modes: string;
}

export function placeOf(object: PersistentVolume | PersistentVolumeClaim): Place {
  const key = JSON.stringify([classOf(object), modeOf(object), attributesClassOf(object)]);
  return { key, modes: accessModesText(object.spec?.accessModes) };
}
