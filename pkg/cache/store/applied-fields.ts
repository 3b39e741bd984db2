import type { PartialObject } from "../../api/object.ts";

/** What a manager has applied of an object, in the form of metadata.managedFields; empty: nothing. */
export type FieldSet = Readonly<Record<string, unknown>>;

type ByManager = ReadonlyMap<string, FieldSet>;

interface Entry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

const APPLIED = Symbol("applied fields");
const NOTHING: FieldSet = Object.freeze({});
/** Objects of one kind are applied alike, as a rule; where they are not, nothing is gained by remembering. */
const MOST_SETS = 4_096;

/** Keeps of managedFields what some managers have applied: beside the objects, where no copy of them takes it along. */
export class AppliedFields {
  readonly #managers = new Set<string>();
  /** Equal ones are one. */
  readonly #sets = new Map<string, FieldSet>();

  keep(manager: string): void {
    this.#managers.add(manager);
  }

  /** Notes on the object of the cache what the one that came from the server says. */
  note(object: object, managedFields: unknown): void {
    if (this.#managers.size === 0) return;
    const entries: readonly Entry[] = Array.isArray(managedFields) ? managedFields : [];
    const applied = new Map<string, FieldSet>();
    for (const manager of this.#managers) {
      const entry = entries.find(
        (each) => each.manager === manager && each.operation === "Apply" && !each.subresource,
      );
      applied.set(manager, entry === undefined ? NOTHING : this.#shared(entry.fieldsV1));
    }
    // Not enumerable: neither spread nor JSON has it.
    Object.defineProperty(object, APPLIED, { value: applied });
  }

  #shared(fields: unknown): FieldSet {
    const text = JSON.stringify(fields) ?? "{}";
    const known = this.#sets.get(text);
    if (known !== undefined) return known;
    if (this.#sets.size >= MOST_SETS) this.#sets.clear();
    const set = (fields ?? NOTHING) as FieldSet;
    this.#sets.set(text, set);
    return set;
  }
}

/** What the manager has applied of the object, as its cache has it; undefined: the cache was not asked to keep that. */
export function appliedBy(object: PartialObject, manager: string): FieldSet | undefined {
  const { [APPLIED]: applied } = object as { readonly [APPLIED]?: ByManager };
  return applied?.get(manager);
}
