import type { ApiObject } from "../../../api/object.ts";
import type { Steps } from "../../../api/steps.ts";
import type { Draft, FieldError } from "../../kinds/kind.ts";
import { type OpenApiSchema, somewhere } from "../../../cel/schemas/open-api-schema.ts";
import { validateByRules } from "./rule-validator.ts";

/** After such mistakes the rules are not tried: they could not be evaluated. */
const blocking = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const notTried: FieldError = {
  type: "FieldValueInvalid",
  field: "<nil>",
  message:
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
};

/** The rules of the objects of one version. */
export class ObjectRules {
  readonly #schema: OpenApiSchema | undefined;
  readonly #warnings = new WeakMap<Draft, readonly string[]>();

  constructor(schema: OpenApiSchema | undefined) {
    this.#schema = schema;
  }

  /** What is wrong by all else, and by the rules. */
  *withErrors(
    draft: Draft,
    before: ApiObject | undefined,
    found: readonly FieldError[],
  ): Steps<readonly FieldError[]> {
    if (this.#schema === undefined || !hasRules(this.#schema)) return found;
    if (found.some(({ type }) => blocking.has(type))) return [...found, notTried];
    const { errors, warnings } = yield* validateByRules(draft, this.#schema, before);
    if (warnings.length > 0) this.#warnings.set(draft, warnings);
    return [...found, ...errors];
  }

  /** Of what breaks a rule, but did so before. */
  warningsOf(draft: Draft): readonly string[] {
    return this.#warnings.get(draft) ?? [];
  }
}

const hasRules = somewhere((schema) => (schema["x-kubernetes-validations"] ?? []).length > 0);
