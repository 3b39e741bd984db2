import { child, flag, isJson, items, type Json, present, text } from "../../../api/json.ts";
import type { FieldErrors } from "../../kinds/field-errors.ts";
import { validateLists } from "./list-rules.ts";
import { at, index, key } from "./path.ts";
import { validateRules } from "./validation-rules.ts";

interface Surroundings {
  /** Why there may be no defaults; undefined where they may be. */
  readonly forbiddenDefaults: string | undefined;
  /** Within the kind or the metadata of an object. */
  readonly insideMeta: boolean;
  readonly isRoot: boolean;
}

const types = ["array", "boolean", "integer", "number", "object", "string"];
const metaFields = new Set(["metadata", "kind", "apiVersion"]);

/** The rules that hold for every schema within a definition, also those that its logic is made of. */
export class SchemaRules {
  readonly #errors: FieldErrors;

  constructor(errors: FieldErrors) {
    this.#errors = errors;
  }

  validate(root: Json, path: string): void {
    this.#validate(root, path, { forbiddenDefaults: undefined, insideMeta: false, isRoot: true });
  }

  #validate(schema: Json, path: string, where: Surroundings): void {
    this.#checkFields(schema, path, where);
    this.#checkProperties(schema, path, where);
    this.#checkAdditional(schema, path, where);
    const inner = { ...where, isRoot: false };
    const not = child(schema, "not");
    if (not !== undefined) this.#validate(not, at(path, "not"), inner);
    for (const field of ["allOf", "oneOf", "anyOf"])
      for (const [position, one] of items(schema, field).entries())
        this.#validate(one, index(at(path, field), position), inner);
    for (const field of ["definitions", "dependencies"])
      for (const [name, one] of Object.entries(child(schema, field) ?? {}))
        if (isJson(one)) this.#validate(one, key(at(path, field), name), inner);
    const item = child(schema, "items");
    if (item !== undefined) this.#validate(item, at(path, "items"), inner);
    for (const [position, one] of items(schema, "items").entries())
      this.#validate(one, index(at(path, "items"), position), inner);
    this.#checkExtensions(schema, path);
    validateLists(schema, path, this.#errors);
    validateRules(schema, path, this.#errors);
  }

  #checkFields(schema: Json, path: string, { forbiddenDefaults, insideMeta }: Surroundings): void {
    const errors = this.#errors;
    const type = text(schema, "type");
    if (type !== "" && !types.includes(type)) errors.notSupported(at(path, "type"), type, types);
    if (present(schema, "default") && forbiddenDefaults !== undefined)
      errors.forbidden(at(path, "default"), `must not be set ${forbiddenDefaults}`);
    for (const field of ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"])
      if (present(schema, field)) errors.forbidden(at(path, field), `${field} is not supported`);
    if (type === "null")
      errors.forbidden(at(path, "type"), "type cannot be set to null, use nullable as an alternative");
    if (items(schema, "items").length > 0)
      errors.forbidden(at(path, "items"), "items must be a schema object and not an array");
    if (insideMeta && flag(schema, "x-kubernetes-embedded-resource"))
      errors.forbidden(
        at(path, "x-kubernetes-embedded-resource"),
        "must not be used inside of resource meta",
      );
    if (flag(schema, "uniqueItems"))
      errors.forbidden(
        at(path, "uniqueItems"),
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      );
  }

  #checkProperties(schema: Json, path: string, where: Surroundings): void {
    const hasMeta = where.isRoot || flag(schema, "x-kubernetes-embedded-resource");
    for (const [name, property] of Object.entries(child(schema, "properties") ?? {})) {
      if (!isJson(property)) continue;
      const isMeta = hasMeta && metaFields.has(name);
      this.#validate(property, key(at(path, "properties"), name), {
        isRoot: false,
        insideMeta: where.insideMeta || isMeta,
        forbiddenDefaults: isMeta && where.isRoot ? `in top-level ${name}` : where.forbiddenDefaults,
      });
    }
  }

  #checkAdditional(schema: Json, path: string, where: Surroundings): void {
    const additional = schema["additionalProperties"];
    if (additional === undefined) return;
    const place = at(path, "additionalProperties");
    if (present(schema, "properties") && additional !== true)
      this.#errors.forbidden(place, "additionalProperties and properties are mutual exclusive");
    if (!isJson(additional)) return;
    // What is pruned of a default depends on the value around it.
    const reason = "inside additionalProperties applying to object metadata";
    const forbiddenDefaults = where.insideMeta ? reason : where.forbiddenDefaults;
    this.#validate(additional, place, { ...where, isRoot: false, forbiddenDefaults });
  }

  #checkExtensions(schema: Json, path: string): void {
    const errors = this.#errors;
    if (schema["x-kubernetes-preserve-unknown-fields"] === false)
      errors.invalid(at(path, "x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined");
    if (!present(schema, "x-kubernetes-map-type")) return;
    const type = text(schema, "type");
    const rule = "must be object if x-kubernetes-map-type is specified";
    if (type === "") errors.required(at(path, "type"), rule);
    else if (type !== "object") errors.invalid(at(path, "type"), type, rule);
    const mapType = text(schema, "x-kubernetes-map-type");
    if (mapType !== "atomic" && mapType !== "granular")
      errors.notSupported(at(path, "x-kubernetes-map-type"), mapType, ["atomic", "granular"]);
  }
}
