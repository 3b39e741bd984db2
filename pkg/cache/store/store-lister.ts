import type { LabelSelector } from "../../api/labels.ts";
import type { PartialObject, Stored } from "../../api/object.ts";
import { refKey } from "../../api/object.ts";
import { NAMESPACE_INDEX } from "../informer/informer.ts";
import type { Lister } from "./lister.ts";
import type { Store } from "./store.ts";

/** The read side of a store. */
export class StoreLister<T extends PartialObject> implements Lister<T> {
  readonly #store: Store<Stored<T>>;

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
    return this.#store.list(restricting(selector));
  }

  /** As on the wire, the namespace "" means all of them. */
  inNamespace(namespace: string, selector?: LabelSelector): readonly Stored<T>[] {
    if (namespace === "") return this.list(selector);
    if (this.#store.hasIndex(NAMESPACE_INDEX))
      return this.#store.byIndex(NAMESPACE_INDEX, namespace, restricting(selector));
    return this.list(selector).filter((object) => object.metadata.namespace === namespace);
  }

  byIndex(index: string, value: string): readonly Stored<T>[] {
    return this.#store.byIndex(index, value);
  }
}

function restricting(selector: LabelSelector | undefined): LabelSelector | undefined {
  return selector?.empty === true ? undefined : selector;
}
