import { changedPaths } from "../api/changed-paths.ts";
import { type PartialObject, keyOf } from "../api/object.ts";
import type { Change } from "./change.ts";

/** Why a key was woken. */
export interface Reason {
  /** "asked": another sync of the same controller wanted it. */
  readonly change: "listed" | "added" | "updated" | "resync" | "deleted" | "asked";
  /** Name of the resource, such as "pods", and key of the object that changed. */
  readonly resource?: string;
  readonly object?: string;
  /** What is different in an object that was updated. */
  readonly paths?: readonly string[];
}

/** Of each key the first reasons are kept: what comes after them, until the key is taken, seldom tells more. */
const MOST_PER_KEY = 3;
/** As many keys as have their reasons kept. In a rush of more the rest go without. */
const MOST_KEYS = 500;

const NONE: readonly Reason[] = Object.freeze([]);
const ASKED: Reason = Object.freeze({ change: "asked" });

/** The reasons of the keys that wait. */
export class Reasons<K> {
  readonly #pending = new Map<K, Reason[]>();

  asked(key: K): void {
    this.#roomFor(key)?.push(ASKED);
  }

  changed(key: K, resource: string, change: Change<PartialObject>): void {
    this.#roomFor(key)?.push(reasonOf(resource, change));
  }

  /** Gives the reasons of the key and forgets them. */
  take(key: K): readonly Reason[] {
    const reasons = this.#pending.get(key);
    if (reasons === undefined) return NONE;
    this.#pending.delete(key);
    return reasons;
  }

  #roomFor(key: K): Reason[] | undefined {
    const known = this.#pending.get(key);
    if (known !== undefined) return known.length < MOST_PER_KEY ? known : undefined;
    if (this.#pending.size >= MOST_KEYS) return undefined;
    const reasons: Reason[] = [];
    this.#pending.set(key, reasons);
    return reasons;
  }
}

function reasonOf(resource: string, change: Change<PartialObject>): Reason {
  const object = keyOf(change.object);
  if (change.type !== "updated") {
    const isListed = change.type === "added" && change.listed;
    return { change: isListed ? "listed" : change.type, resource, object };
  }
  if (change.resync) return { change: "resync", resource, object };
  return { change: "updated", resource, object, paths: changedPaths(change.before, change.object) };
}

/** As a line: "pods team/web-1 updated: status.phase". */
export function describeReason({ change, resource, object, paths = [] }: Reason): string {
  const what = [resource, object, change].filter((part) => part !== undefined).join(" ");
  return paths.length === 0 ? what : `${what}: ${paths.join(", ")}`;
}
