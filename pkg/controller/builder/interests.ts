import type { LabelSelector } from "../../api/labels.ts";
import { keyOf, type PartialObject } from "../../api/object.ts";
import type { Change } from "../change.ts";
import type { Predicate } from "./predicates.ts";

/** What a reconcile has read, be it that there was nothing. Its object is woken when that changes. */
interface Interest {
  readonly resource: string;
  /** Of one object; of a list when left out. */
  readonly object?: string;
  readonly within?: Within;
  /** Which updates are of interest; all when left out. */
  readonly where?: Predicate | undefined;
}

/** Which objects a list holds. */
export interface Within {
  readonly namespace: string | undefined;
  readonly selector: LabelSelector;
}

type Interests = Map<string, Interest>;

/**
 * What the last reconcile of each object has read. Until one has ended well, what the ones before it have read counts as
 * well: a reconcile that failed may not have come to what it would have read.
 */
export class ReadInterests {
  readonly #ofObject = new Map<string, Interests>();
  /** Who waits for one object; by resource and key. */
  readonly #byObject = new Map<string, Set<string>>();
  /** Who has read a list; by resource. */
  readonly #byResource = new Map<string, Set<string>>();

  /** A reconcile of the key begins. */
  begin(key: string): ReadNotes {
    const former = this.#ofObject.get(key) ?? new Map<string, Interest>();
    const noted: Interests = new Map();
    this.#ofObject.set(key, new Map(former));
    return {
      note: (interest) => {
        const id = idOf(interest);
        const wider = noted.get(id);
        if (wider !== undefined && wider.where === undefined) return;
        noted.set(id, interest);
        this.#add(key, id, interest);
      },
      ended: () => {
        for (const [id, interest] of former) if (!noted.has(id)) this.#remove(key, id, interest);
        if (noted.size === 0) this.#ofObject.delete(key);
      },
    };
  }

  /** Nobody has the key any more. */
  deleteName(key: string): void {
    for (const [id, interest] of this.#ofObject.get(key) ?? []) this.#remove(key, id, interest);
    this.#ofObject.delete(key);
  }

  /** The keys of those who have read what has changed. */
  concerned(resource: string, change: Change<PartialObject>): readonly string[] {
    if (change.type === "updated" && change.resync) return [];
    const object = keyOf(change.object);
    const id = idOf({ resource, object });
    const readers = [...(this.#byObject.get(id) ?? [])].filter((key) => {
      const where = this.#ofObject.get(key)?.get(id)?.where;
      return where === undefined || change.type !== "updated" || where(change.before, change.object);
    });
    const listers = [...(this.#byResource.get(resource) ?? [])].filter((key) =>
      this.#ofObject
        .get(key)
        ?.values()
        .some((interest) => interest.resource === resource && holds(interest.within, change)),
    );
    return [...new Set([...readers, ...listers])];
  }

  #add(key: string, id: string, interest: Interest): void {
    this.#ofObject.get(key)?.set(id, interest);
    const [index, entry] = this.#placeOf(interest);
    const keys = index.get(entry) ?? new Set<string>();
    index.set(entry, keys.add(key));
  }

  #remove(key: string, id: string, interest: Interest): void {
    const interests = this.#ofObject.get(key);
    interests?.delete(id);
    const [index, entry] = this.#placeOf(interest);
    const isInList = interests?.values().some(({ resource, within }) => resource === entry && within);
    if (isInList === true) return;
    const keys = index.get(entry);
    keys?.delete(key);
    if (keys?.size === 0) index.delete(entry);
  }

  #placeOf(interest: Interest): readonly [index: Map<string, Set<string>>, entry: string] {
    return interest.within === undefined
      ? [this.#byObject, idOf(interest)]
      : [this.#byResource, interest.resource];
  }
}

export interface ReadNotes {
  note(interest: Interest): void;
  /** The reconcile has ended well: what it has not read is of no interest any more. */
  ended(): void;
}

function idOf({ resource, object, within }: Interest): string {
  if (within === undefined) return `${resource} ${object}`;
  return `${resource} in ${within.namespace ?? "*"} with ${within.selector.toString()}`;
}

function holds(within: Within | undefined, change: Change<PartialObject>): boolean {
  if (within === undefined) return false;
  const versions = change.type === "updated" ? [change.before, change.object] : [change.object];
  return versions.some(
    ({ metadata: { namespace, labels = {} } }) =>
      (within.namespace === undefined || within.namespace === namespace) && within.selector.matches(labels),
  );
}
