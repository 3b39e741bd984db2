import type { LabelSelector } from "../../api/labels.ts";
import type { PartialObject, Stored } from "../../api/object.ts";
import { refKey } from "../../api/object.ts";
import { NAMESPACE_INDEX } from "../informer/informer.ts";
import { LabelGroups } from "./label-groups.ts";
import type { Lister } from "./lister.ts";
import type { Store } from "./store.ts";

/** The read side of a store. */
export class StoreLister<T extends PartialObject> implements Lister<T> {
  readonly #store: Store<Stored<T>>;
  /** Of arrays that the store has handed out, which never change. */
  readonly #groups = new WeakMap<readonly Stored<T>[], LabelGroups<Stored<T>>>();

  constructor(store: Store<Stored<T>>) {
    this.#store = store;
  }

  get(namespace: string | undefined, name: string): Stored<T> | undefined {
    return this.#store.get(refKey(namespace, name));
  }

  getByKey(key: string): Stored<T> | undefined {
    return this.#store.get(key);
  }

  list(selector?: LabelSelector): readonly Stored<T>[] {
    return this.#matching(this.#store.list(), selector);
  }

  /** As on the wire, the namespace "" means all of them. */
  inNamespace(namespace: string, selector?: LabelSelector): readonly Stored<T>[] {
    if (namespace === "") return this.list(selector);
    if (this.#store.hasIndex(NAMESPACE_INDEX))
      return this.#matching(this.#store.byIndex(NAMESPACE_INDEX, namespace), selector);
    return this.#matching(
      this.#store.list().filter((object) => object.metadata.namespace === namespace),
      selector,
    );
  }

  byIndex(index: string, value: string): readonly Stored<T>[] {
    return this.#store.byIndex(index, value);
  }

  #matching(objects: readonly Stored<T>[], selector: LabelSelector | undefined): readonly Stored<T>[] {
    if (selector === undefined || selector.empty) return objects;
    let groups = this.#groups.get(objects);
    if (groups === undefined) {
      groups = new LabelGroups(objects);
      this.#groups.set(objects, groups);
    }
    return groups.matching(selector);
  }
}
