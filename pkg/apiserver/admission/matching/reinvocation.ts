import { type Json, sameValue } from "../../../api/json.ts";
import { copyJson } from "../../../api/json-copy.ts";

/** Who is to be asked a second time about a request: those who want to be, once somebody else has changed the object. */
export class Reinvocation {
  #asked = new Set<string>();
  readonly #again = new Set<string>();
  #left: Json | undefined;

  /** The object as the first round has left it. */
  leave(object: Json | undefined): void {
    this.#left = object === undefined ? undefined : copyJson(object);
  }

  /** The object as the second round finds it. */
  find(object: Json | undefined): void {
    if (!sameValue(this.#left, object)) this.wakeAll();
  }

  /** This one wants to be asked again if something changes from here on. */
  asked(id: string): void {
    this.#asked.add(id);
  }

  /** The object is another one now. */
  wakeAll(): void {
    for (const id of this.#asked) this.#again.add(id);
    this.#asked = new Set();
  }

  isDue(id: string): boolean {
    return this.#again.has(id);
  }
}
