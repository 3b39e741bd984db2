import type { ApiObject } from "../../../api/object.ts";
import { asJson, type Json } from "../../../api/json.ts";
import type { Draft } from "../../kinds/kind.ts";
import { normalizeWireForm } from "../../../api/wire-form.ts";
import { deepFreeze } from "../../../api/freeze.ts";
import { copyJson } from "../../../api/json-copy.ts";
import type { Conversion } from "../served-resource.ts";

/** events.k8s.io/v1 name → core/v1 name; what is not here has the same name in both. */
const names: readonly (readonly [events: string, core: string])[] = [
  ["note", "message"],
  ["regarding", "involvedObject"],
  ["reportingController", "reportingComponent"],
  ["deprecatedSource", "source"],
  ["deprecatedFirstTimestamp", "firstTimestamp"],
  ["deprecatedLastTimestamp", "lastTimestamp"],
  ["deprecatedCount", "count"],
];

/** The two APIs of events show the same objects; they are stored as those of the core group. */
export function eventConversion(): Conversion {
  const read = new WeakMap<ApiObject, ApiObject>();
  return {
    toStorage: (draft) => renamed(draft, "v1", (pair) => pair) as Draft,
    fromStorage: (stored) => {
      let shown = read.get(stored);
      if (shown === undefined) {
        const made = renamed(asJson(stored), "events.k8s.io/v1", ([events, core]) => [core, events]);
        shown = deepFreeze(made) as unknown as ApiObject;
        read.set(stored, shown);
      }
      return shown;
    },
  };
}

function renamed(
  object: Json,
  apiVersion: string,
  direction: (pair: readonly [string, string]) => readonly [from: string, to: string],
): Json {
  const made: Json = { ...copyJson(object), apiVersion };
  for (const pair of names) {
    const [from, to] = direction(pair);
    if (made[from] === undefined) continue;
    made[to] = made[from];
    delete made[from];
  }
  normalizeWireForm(made, apiVersion, "Event");
  return made;
}
