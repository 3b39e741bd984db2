import type { Json } from "../../../api/json.ts";
import { child, items, sameValue, text } from "../../../api/json.ts";
import type { Draft } from "../kind.ts";

export function conditionIsTrue(conditions: readonly Json[], type: string): boolean {
  return conditions.some((one) => text(one, "type") === type && text(one, "status") === "True");
}

function conditionIsFalse(conditions: readonly Json[], type: string): boolean {
  return conditions.some((one) => text(one, "type") === type && text(one, "status") === "False");
}

/** The old and the new status side by side, with what the checks ask again and again. */
export class StatusChange {
  readonly spec: Json;
  readonly now: Json;
  readonly old: Json;
  readonly #conditions: readonly Json[];
  readonly #oldConditions: readonly Json[];

  constructor(draft: Draft, before: Json) {
    this.spec = child(draft, "spec") ?? {};
    this.now = child(draft, "status") ?? {};
    this.old = child(before, "status") ?? {};
    this.#conditions = items(this.now, "conditions");
    this.#oldConditions = items(this.old, "conditions");
  }

  is(type: string): boolean {
    return conditionIsTrue(this.#conditions, type);
  }

  was(type: string): boolean {
    return conditionIsTrue(this.#oldConditions, type);
  }

  get finished(): boolean {
    return this.is("Complete") || this.is("Failed");
  }

  get finishedChanged(): boolean {
    return this.finished !== (this.was("Complete") || this.was("Failed"));
  }

  turned(...types: readonly string[]): boolean {
    return types.some((type) => this.is(type) !== this.was(type));
  }

  changed(...keys: readonly string[]): boolean {
    return keys.some((key) => !sameValue(this.now[key], this.old[key]));
  }

  get resumes(): boolean {
    return this.was("Suspended") && conditionIsFalse(this.#conditions, "Suspended");
  }
}
