import type { StoredObject } from "../../pkg/api/object.ts";
import { compareResourceVersions, versionOrder } from "../../pkg/api/resource-version.ts";

/** An object as it was when it was listed. */
export interface ListedObject {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * The objects that a migration has to write anew: those that nobody has written since it began. What has been written is
 * forgotten, so that a migration that comes again after a failure goes on where it was.
 */
export class ObjectsLeft {
  readonly #begunAt: string;
  #objects: ListedObject[] = [];
  /** Objects in front of it have been written. */
  #next = 0;
  #malformed: string | undefined;

  /** `begunAt`: the version of the resource at the beginning of the migration. */
  constructor(begunAt: string) {
    this.#begunAt = begunAt;
  }

  add({ metadata: { namespace, name, uid, resourceVersion } }: StoredObject): void {
    const order = versionOrder(resourceVersion, this.#begunAt);
    if (order === undefined) this.#malformed ??= resourceVersion;
    else if (order <= 0) this.#objects.push({ namespace, name, uid, resourceVersion });
  }

  /** What was added is void: the list begins anew. */
  clear(): void {
    this.#objects = [];
    this.#malformed = undefined;
  }

  /** A version that cannot be compared, of one of the objects. */
  get malformed(): string | undefined {
    return this.#malformed;
  }

  get length(): number {
    return this.#objects.length - this.#next;
  }

  first(): ListedObject | undefined {
    return this.#objects[this.#next];
  }

  /** The first one is done. */
  shift(): void {
    this.#next++;
  }
}

/** What is wrong with a version, in the words of the API server; undefined: nothing. */
export function versionProblem(version: string): string | undefined {
  return versionOrder(version, version) === undefined
    ? `resource version is not well formed: ${version}`
    : undefined;
}

/** Whether the list is older than the beginning of the migration: it may lack objects then. */
export function isOlder(listed: string, begunAt: string): boolean {
  return compareResourceVersions(listed, begunAt) < 0;
}
