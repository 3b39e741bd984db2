import type { Labels, LabelSelector } from "../../api/labels.ts";
import type { PartialObject } from "../../api/object.ts";

/** As often a Deployment's pods are asked for in a rolling update, until one of them changes: once for each ReplicaSet. */
const FEW = 3;

/**
 * Objects by their labels. Those that are labelled alike share their labels (see Interner), so that to select among
 * 50,000 pods of 2,000 ReplicaSets takes 2,000 looks, as long as there is no change.
 */
export class LabelGroups<T extends PartialObject> {
  readonly #objects: readonly T[];
  /** Places of the objects, ascending. */
  #groups: ReadonlyMap<Labels | undefined, readonly number[]> | undefined;
  /** What was found, for those who ask with the same selector again. */
  #found: WeakMap<LabelSelector, readonly T[]> | undefined;
  #asked = 0;

  constructor(objects: readonly T[]) {
    this.#objects = objects;
  }

  /** In the order of the objects. */
  matching(selector: LabelSelector): readonly T[] {
    if (this.#asked < FEW) {
      // There may be a change before anybody asks again, and groups would not have been worth making.
      this.#asked++;
      return filtered(this.#objects, selector);
    }
    this.#found ??= new WeakMap();
    const known = this.#found.get(selector);
    if (known !== undefined) return known;
    const selected = this.#select(selector);
    this.#found.set(selector, selected);
    return selected;
  }

  #select(selector: LabelSelector): readonly T[] {
    this.#groups ??= grouped(this.#objects);
    const found: (readonly number[])[] = [];
    for (const [labels, group] of this.#groups) if (selector.matches(labels)) found.push(group);
    const places = found.length > 1 ? Uint32Array.from(found.flat()).sort() : (found[0] ?? []);
    const objects: T[] = [];
    for (const place of places) {
      const object = this.#objects[place];
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }
}

function grouped(objects: readonly PartialObject[]): ReadonlyMap<Labels | undefined, number[]> {
  const groups = new Map<Labels | undefined, number[]>();
  let place = 0;
  for (const { metadata } of objects) {
    const group = groups.get(metadata.labels);
    if (group === undefined) groups.set(metadata.labels, [place]);
    else group.push(place);
    place++;
  }
  return groups;
}

function filtered<T extends PartialObject>(objects: readonly T[], selector: LabelSelector): readonly T[] {
  const verdicts = new Map<Labels | undefined, boolean>();
  return objects.filter(({ metadata: { labels } }) => {
    let verdict = verdicts.get(labels);
    if (verdict === undefined) {
      verdict = selector.matches(labels);
      verdicts.set(labels, verdict);
    }
    return verdict;
  });
}
