import { OnePerValue } from "../../pkg/controller/one-per-value.ts";
import { namespaceOfKey } from "../../pkg/workqueue/line.ts";

/** Whose finalizer nobody else takes off: one pod, by its key, or all that a Job has selected. */
export type OrphanKey = string | SelectedPods;

/** The pods of a namespace that a selector matches. */
export class SelectedPods {
  readonly namespace: string;
  /** As parseLabelSelector reads it. */
  readonly selector: string;
  static readonly #known = new OnePerValue<SelectedPods>();

  private constructor(namespace: string, selector: string) {
    this.namespace = namespace;
    this.selector = selector;
  }

  static of(namespace: string, selector: string): SelectedPods {
    return SelectedPods.#known.of(new SelectedPods(namespace, selector));
  }

  toString(): string {
    return `${this.namespace}/(${this.selector})`;
  }
}

/** Namespaces take turns, whichever sort their keys are of. */
export function namespaceOfOrphans(key: OrphanKey): string {
  return typeof key === "string" ? namespaceOfKey(key) : key.namespace;
}
