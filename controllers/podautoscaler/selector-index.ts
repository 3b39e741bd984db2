import type { LabelSelector, Labels } from "../../pkg/api/labels.ts";
import { forEachInSteps, type Steps } from "../../pkg/api/steps.ts";
import { keyOf, splitKey, type PartialObject } from "../../pkg/api/object.ts";

interface Entry {
  readonly uid: string | undefined;
  readonly selector: LabelSelector;
  readonly place: Set<string>;
}

/** The selectors of a namespace, each under one pair of key and value that it demands, or else among the others. */
class NamespaceSelectors {
  readonly entries = new Map<string, Entry>();
  readonly #byPair = new Map<string, Set<string>>();
  readonly #others = new Set<string>();

  put(key: string, uid: string | undefined, selector: LabelSelector): void {
    const before = this.entries.get(key);
    if (before?.uid === uid && before?.selector.toString() === selector.toString()) return;
    this.remove(key);
    const place = this.#placeOf(selector);
    place.add(key);
    this.entries.set(key, { uid, selector, place });
  }

  remove(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    entry.place.delete(key);
    this.entries.delete(key);
    if (entry.place.size > 0) return;
    for (const pair of pairsOf(entry.selector))
      if (this.#byPair.get(pair) === entry.place) this.#byPair.delete(pair);
  }

  /** Adds the keys of the selectors that select the labels. */
  collect(labels: Labels, keys: Set<string>): void {
    this.#collectFrom(this.#others, labels, keys);
    for (const key in labels) {
      const place = this.#byPair.get(pairOf(key, labels[key] ?? ""));
      if (place !== undefined) this.#collectFrom(place, labels, keys);
    }
  }

  #collectFrom(place: ReadonlySet<string>, labels: Labels, keys: Set<string>): void {
    for (const key of place)
      if (!keys.has(key) && this.entries.get(key)?.selector.matches(labels) === true) keys.add(key);
  }

  /** Where the fewest others are, so that what all of them demand sorts nobody. */
  #placeOf(selector: LabelSelector): Set<string> {
    let best: { readonly pair: string; readonly place: Set<string> } | undefined;
    for (const pair of pairsOf(selector)) {
      const place = this.#byPair.get(pair) ?? new Set<string>();
      if (best === undefined || place.size < best.place.size) best = { pair, place };
    }
    if (best === undefined) return this.#others;
    this.#byPair.set(best.pair, best.place);
    return best.place;
  }
}

/**
 * What the autoscalers select, so that those that select the same pods are found without a look at every one of them. An
 * autoscaler is in it from its first sync that knows its selector.
 */
export class SelectorIndex {
  readonly #namespaces = new Map<string, NamespaceSelectors>();

  put(autoscaler: PartialObject, selector: LabelSelector): void {
    const { namespace = "", uid } = autoscaler.metadata;
    let selectors = this.#namespaces.get(namespace);
    if (selectors === undefined) this.#namespaces.set(namespace, (selectors = new NamespaceSelectors()));
    selectors.put(keyOf(autoscaler), uid, selector);
  }

  /** The selector of this very one, if it was put there as this text. */
  known(autoscaler: PartialObject, text: string): LabelSelector | undefined {
    const { namespace = "", uid } = autoscaler.metadata;
    const entry = this.#namespaces.get(namespace)?.entries.get(keyOf(autoscaler));
    return entry?.uid === uid && entry?.selector.toString() === text ? entry?.selector : undefined;
  }

  /** This very one is gone. */
  delete(autoscaler: PartialObject): void {
    const { namespace = "", uid } = autoscaler.metadata;
    const selectors = this.#namespaces.get(namespace);
    const key = keyOf(autoscaler);
    if (selectors?.entries.get(key)?.uid === uid) this.#remove(namespace, key);
  }

  deleteName(key: string): void {
    this.#remove(splitKey(key).namespace ?? "", key);
  }

  /** Keys of the autoscalers that select one of these pods, in order. */
  *selecting(namespace: string, pods: readonly PartialObject[]): Steps<readonly string[]> {
    const selectors = this.#namespaces.get(namespace);
    const keys = new Set<string>();
    if (selectors !== undefined)
      yield* forEachInSteps(pods, ({ metadata }) => selectors.collect(metadata.labels ?? {}, keys));
    return [...keys].toSorted();
  }

  #remove(namespace: string, key: string): void {
    const selectors = this.#namespaces.get(namespace);
    selectors?.remove(key);
    if (selectors?.entries.size === 0) this.#namespaces.delete(namespace);
  }
}

function pairsOf({ requirements = [] }: LabelSelector): readonly string[] {
  return requirements.flatMap(({ key, operator, values: [value, ...more] }) =>
    value !== undefined && more.length === 0 && ["=", "==", "in"].includes(operator)
      ? [pairOf(key, value)]
      : [],
  );
}

/** Neither a key nor a value has an equals sign in it. */
function pairOf(key: string, value: string): string {
  return `${key}=${value}`;
}
