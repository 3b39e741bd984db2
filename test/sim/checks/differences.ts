import { isDeepStrictEqual } from "node:util";
import type { ApiObject } from "../../../pkg/api/object.ts";

/** In what way objects are not as they should be. */
export class Differences {
  readonly lines: string[] = [];

  add({ kind, metadata }: ApiObject, text: string): void {
    this.lines.push(`${kind ?? ""} ${metadata.name}: ${text}`);
  }

  compare(object: ApiObject, what: string, actual: unknown, wanted: unknown): void {
    if (!isDeepStrictEqual(actual, wanted))
      this.add(object, `${what} is ${JSON.stringify(actual)} and should be ${JSON.stringify(wanted)}`);
  }
}
