import type { ApiObject } from "../../../pkg/api/object.ts";
import type { World } from "../world/world.ts";
import { stateAfter } from "./write.ts";

interface State<T> {
  readonly atMs: number;
  /** Undefined: there was none of the name. */
  readonly object: T | undefined;
}

/** Of each name; what is older is of no interest to anybody. */
const MOST = 200;

/** All that objects of one sort have been of late, by namespace and name. */
export class States<T extends ApiObject> {
  readonly #states = new Map<string, State<T>[]>();

  constructor(world: World, bucket: string) {
    world.server.parts.store.subscribe(bucket, (event) => {
      const { namespace = "", name = "" } = event.object.metadata;
      const key = `${namespace}/${name}`;
      const states = this.#states.get(key) ?? [];
      this.#states.set(key, states);
      states.push({ atMs: world.clock.monotonicMs(), object: stateAfter(event) as T | undefined });
      if (states.length > MOST) states.splice(0, MOST / 2);
    });
  }

  /** What it was just before that time, and after. */
  since({ namespace = "", name = "" }: { readonly namespace?: string; readonly name?: string }, ms: number) {
    const states = this.#states.get(`${namespace}/${name}`) ?? [];
    let first = states.length - 1;
    while (first >= 0 && (states[first]?.atMs ?? 0) >= ms) first--;
    const later = states.slice(Math.max(0, first)).map(({ object }) => object);
    return first < 0 ? [undefined, ...later] : later;
  }
}
