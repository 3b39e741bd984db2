import type { ApiObject } from "../../../pkg/api/object.ts";
import type { World } from "../world/world.ts";
import { stateAfter } from "./write.ts";

interface State<T> {
  readonly sinceMs: number;
  /** Undefined: there was none. */
  readonly object: T | undefined;
}

/** All that objects have been, by a key; where there is none, undefined. */
export class RecentObjects<T extends ApiObject> {
  readonly #byKey = new Map<string, State<T>[]>();

  constructor(world: World, bucket: string, keyOf: (object: T) => string) {
    world.server.parts.store.subscribe(bucket, (event) => {
      const key = keyOf(event.object as T);
      const states = this.#byKey.get(key) ?? [];
      states.push({
        sinceMs: world.clock.monotonicMs(),
        object: stateAfter(event) as T | undefined,
      });
      this.#byKey.set(key, states);
    });
  }

  /** What it was just before that time, and after. */
  since(key: string, ms: number): readonly (T | undefined)[] {
    const states = this.#byKey.get(key) ?? [];
    let first = states.length - 1;
    while (first >= 0 && (states[first]?.sinceMs ?? 0) >= ms) first--;
    const later = states.slice(Math.max(0, first)).map(({ object }) => object);
    return first < 0 ? [undefined, ...later] : later;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  get keys(): readonly string[] {
    return [...this.#byKey.keys()];
  }
}
