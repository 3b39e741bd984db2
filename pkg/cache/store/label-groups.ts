import type { Labels, LabelSelector } from "../../api/labels.ts";
import type { PartialObject } from "../../api/object.ts";

/** Whoever asks so seldom is answered by a look at each object: many namespaces are asked about only when all is listed. */
const FEW = 3;
/** Where most objects have labels of their own (as pods of StatefulSets do) there is nothing to win, as often as this. */
const PAUSE = 1_000;
const SMALL = 32;

/** Keys of the objects that are labelled alike, with their places in the order in which objects came. */
type Group = Map<string, number>;

/**
 * A map of objects by their labels, kept up to date with it. Those that are labelled alike share their labels (see
 * Interner), so that to select among 50,000 pods of 2,000 ReplicaSets takes 2,000 looks, and a change of a pod that leaves
 * its labels alone costs nothing.
 */
export class LabelGroups<T extends PartialObject> {
  readonly #items: ReadonlyMap<string, T>;
  #groups: Map<Labels | undefined, Group> | undefined;
  /** What was found since the last change, for those who ask with the same selector again. */
  #found: WeakMap<LabelSelector, readonly T[]> | undefined;
  #nextPlace = 0;
  #asked = 0;

  constructor(items: ReadonlyMap<string, T>) {
    this.#items = items;
  }

  /** In the order of the objects. What it gives never changes. */
  matching(selector: LabelSelector): readonly T[] {
    if (this.#groups === undefined && (++this.#asked <= FEW || !this.#build()))
      return filtered(this.#items.values(), selector);
    this.#found ??= new WeakMap();
    const known = this.#found.get(selector);
    if (known !== undefined) return known;
    const selected = this.#select(selector);
    this.#found.set(selector, selected);
    return selected;
  }

  /** The map has `after` now where it had `before`. */
  changed(key: string, before: T | undefined, after: T | undefined): void {
    this.#found = undefined;
    const groups = this.#groups;
    if (groups === undefined) return;
    const was = before?.metadata.labels;
    const is = after?.metadata.labels;
    if (before !== undefined && after !== undefined && was === is) return;
    const left = before === undefined ? undefined : groups.get(was);
    const place = left?.get(key) ?? this.#nextPlace++;
    if (left?.delete(key) === true && left.size === 0) groups.delete(was);
    if (after === undefined) return;
    join(groups, is, key, place);
    if (this.#areTooMany(groups)) this.#giveUp();
  }

  /** False where it is not worth it. */
  #build(): boolean {
    const groups = new Map<Labels | undefined, Group>();
    let place = 0;
    for (const [key, { metadata }] of this.#items) {
      join(groups, metadata.labels, key, place++);
      if (!this.#areTooMany(groups)) continue;
      this.#giveUp();
      return false;
    }
    this.#groups = groups;
    this.#nextPlace = place;
    return true;
  }

  #areTooMany({ size }: ReadonlyMap<unknown, unknown>): boolean {
    return size > SMALL && size * 2 > this.#items.size;
  }

  #giveUp(): void {
    this.#groups = undefined;
    this.#asked = FEW - PAUSE;
  }

  #select(selector: LabelSelector): readonly T[] {
    const objects: T[] = [];
    const places: number[] = [];
    let last = -1;
    let isInOrder = true;
    for (const [labels, group] of this.#groups ?? []) {
      if (!selector.matches(labels)) continue;
      for (const [key, place] of group) {
        const object = this.#items.get(key);
        if (object === undefined) continue;
        objects.push(object);
        places.push(place);
        isInOrder &&= place > last;
        last = place;
      }
    }
    return isInOrder ? objects : inOrderOf(places, objects);
  }
}

function join(
  groups: Map<Labels | undefined, Group>,
  labels: Labels | undefined,
  key: string,
  place: number,
): void {
  const group = groups.get(labels);
  if (group === undefined) groups.set(labels, new Map([[key, place]]));
  else group.set(key, place);
}

function inOrderOf<T>(places: readonly number[], objects: readonly T[]): readonly T[] {
  const order = Uint32Array.from(places, (_, index) => index);
  order.sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  return Array.from(order, (index) => objects[index] as T);
}

function filtered<T extends PartialObject>(objects: Iterable<T>, selector: LabelSelector): readonly T[] {
  const verdicts = new Map<Labels | undefined, boolean>();
  const selected: T[] = [];
  for (const object of objects) {
    const { labels } = object.metadata;
    let verdict = verdicts.get(labels);
    if (verdict === undefined) {
      verdict = selector.matches(labels);
      verdicts.set(labels, verdict);
    }
    if (verdict) selected.push(object);
  }
  return selected;
}
