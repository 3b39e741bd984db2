import type { LabelSelector } from "../api/labels.ts";
import type { ApiObject } from "../api/object.ts";
import { refKey } from "../api/object.ts";
import { NAMESPACE_INDEX } from "./informer.ts";
import type { Lister } from "./lister.ts";
import type { Store } from "./store.ts";

/** The read side of a store. */
export class StoreLister<T extends ApiObject> implements Lister<T> {
  readonly #store: Store<T>;

  constructor(store: Store<T>) {
    this.#store = store;
  }

  get(namespace: string | undefined, name: string): T | undefined {
    return this.#store.get(refKey(namespace, name));
  }

  getByKey(key: string): T | undefined {
    return this.#store.get(key);
  }

  list(selector?: LabelSelector): readonly T[] {
    return matching(this.#store.list(), selector);
  }

  /** As on the wire, the namespace "" means all of them. */
  inNamespace(namespace: string, selector?: LabelSelector): readonly T[] {
    if (namespace === "") return this.list(selector);
    if (this.#store.hasIndex(NAMESPACE_INDEX))
      return matching(this.#store.byIndex(NAMESPACE_INDEX, namespace), selector);
    return matching(
      this.#store.list().filter((object) => object.metadata.namespace === namespace),
      selector,
    );
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#store.byIndex(index, value);
  }
}

function matching<T extends ApiObject>(
  objects: readonly T[],
  selector: LabelSelector | undefined,
): readonly T[] {
  if (selector === undefined || selector.empty) return objects;
  // Objects that are labelled alike share their labels (see Interner), and thousands need only a few looks.
  const verdicts = new Map<unknown, boolean>();
  return objects.filter(({ metadata: { labels } }) => {
    let verdict = verdicts.get(labels);
    if (verdict === undefined) {
      verdict = selector.matches(labels);
      verdicts.set(labels, verdict);
    }
    return verdict;
  });
}
