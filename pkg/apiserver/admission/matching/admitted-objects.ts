import { asJson, isJson, type Json, sameValue } from "../../../api/json.ts";
import { copyJson } from "../../../api/json-copy.ts";
import type { ApiObject } from "../../../api/object.ts";
import { apiVersionOf } from "../../../api/resource.ts";
import { definitionOf } from "../../../api/schema.ts";
import { builtInSchema } from "../../apply/built-in-schema.ts";
import type { FieldSchema } from "../../apply/field-schema.ts";
import { type BodyCheck, checkBuiltInBody } from "../../decode/check-body.ts";
import type { Draft } from "../../kinds/kind.ts";
import type { AdmissionAttributes, BodyKind } from "../../server/admission.ts";
import { convertTo, type ServedResource } from "../../server/served-resource.ts";
import { internalError } from "../../server/status-error.ts";

/** What is admitted, in the version of the resource that the webhook at hand wants to see. */
export class AdmittedObjects {
  readonly #attributes: AdmissionAttributes;
  #served: ServedResource;
  #object: Draft | undefined;
  #before: ApiObject | undefined;
  #isChanged = false;

  /** The object is not changed; what is read off is. */
  constructor(attributes: AdmissionAttributes, object: Draft | undefined) {
    this.#attributes = attributes;
    this.#served = attributes.served;
    this.#object = object;
    this.#before = attributes.before;
  }

  get object(): Draft | undefined {
    return this.#object;
  }

  get before(): ApiObject | undefined {
    return this.#before;
  }

  get isChanged(): boolean {
    return this.#isChanged;
  }

  /** From here on in this version. */
  async show(served: ServedResource): Promise<void> {
    const from = this.#served;
    if (served === from) return;
    this.#served = served;
    // Bodies of subresources (a Scale, say) are the same in all versions.
    if (this.#attributes.bodyKind !== undefined) return;
    const { before, served: own } = this.#attributes;
    if (this.#object !== undefined) this.#object = await convertTo(served, from, this.#object);
    if (before !== undefined)
      this.#before = (await convertTo(served, own, asJson(before) as Draft)) as unknown as ApiObject;
  }

  /** Of the object that is shown; undefined where its type is not known. */
  get schema(): FieldSchema | undefined {
    const { bodyKind } = this.#attributes;
    if (bodyKind === undefined) return this.#served.body.fields;
    return builtInSchema(apiVersionOf(bodyKind), bodyKind.kind);
  }

  /** The kind that the object is shown in. */
  get kind(): BodyKind {
    return this.#attributes.bodyKind ?? this.#served.resource;
  }

  /** Takes over what a patch has made of the object. Returns whether that is something else. */
  replace(patched: unknown, unknown: "dropped" | "refused" = "dropped"): boolean {
    const next = isJson(patched) ? copyJson(patched) : {};
    if (!isJson(next["metadata"]) && this.#attributes.bodyKind === undefined) next["metadata"] = {};
    const draft = next as Draft;
    const checked = this.#check(draft);
    if (checked.problem !== undefined) throw internalError(checked.problem);
    if (unknown === "refused" && checked.unknown.length > 0 && !this.#served.custom)
      throw internalError(`strict decoding error: ${checked.unknown.map(unknownField).join(", ")}`);
    const isOther = !sameValue(this.#object, draft);
    if (this.#attributes.bodyKind === undefined) this.#served.rules.setDefaults?.(draft);
    this.#object = draft;
    this.#isChanged = true;
    return isOther;
  }

  #check(draft: Draft): BodyCheck {
    const { bodyKind } = this.#attributes;
    if (bodyKind === undefined) return this.#served.body.check(draft);
    const definition = definitionOf(apiVersionOf(bodyKind), bodyKind.kind);
    return definition === undefined
      ? { unknown: [], problem: undefined }
      : checkBuiltInBody(draft, definition);
  }

  /** Writes the outcome into the draft, in the version of the request. */
  async writeTo(draft: Json): Promise<void> {
    if (!this.#isChanged) return;
    await this.show(this.#attributes.served);
    for (const key of Object.keys(draft)) delete draft[key];
    Object.assign(draft, this.#object);
  }
}

const unknownField = (path: string): string => `unknown field ${JSON.stringify(path)}`;
