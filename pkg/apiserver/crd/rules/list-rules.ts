import { child, flag, type Json, present, strings, text } from "../../../api/json.ts";
import type { FieldErrors } from "../../kinds/field-errors.ts";
import { at, key } from "./path.ts";

/** Lists that are sets or maps have items that can be told from each other. */
export function validateLists(schema: Json, path: string, errors: FieldErrors): void {
  validateListType(schema, path, errors);
  if (strings(schema, "x-kubernetes-list-map-keys").length > 0) {
    const rule = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (!present(schema, "x-kubernetes-list-type")) errors.required(at(path, "x-kubernetes-list-type"), rule);
    else if (text(schema, "x-kubernetes-list-type") !== "map")
      errors.invalid(at(path, "x-kubernetes-list-type"), text(schema, "x-kubernetes-list-type"), rule);
  }
  if (text(schema, "x-kubernetes-list-type") === "map") validateMapList(schema, path, errors);
  validateItems(schema, path, errors);
}

function validateListType(schema: Json, path: string, errors: FieldErrors): void {
  if (!present(schema, "x-kubernetes-list-type")) return;
  const listType = text(schema, "x-kubernetes-list-type");
  const type = text(schema, "type");
  const rule = "must be array if x-kubernetes-list-type is specified";
  if (type === "") errors.required(at(path, "type"), rule);
  else if (type !== "array") errors.invalid(at(path, "type"), type, rule);
  else if (listType === "set") {
    const kind = divisibleKind(schema);
    if (kind !== undefined)
      errors.invalid(
        at(path, "items", `x-kubernetes-${kind}-type`),
        null,
        "must be atomic as item of a list with x-kubernetes-list-type=set",
      );
  }
  if (!["atomic", "set", "map"].includes(listType))
    errors.notSupported(at(path, "x-kubernetes-list-type"), listType, ["atomic", "set", "map"]);
}

/** What the items of a list are, if parts of them may be owned apart. */
function divisibleKind(schema: Json): "list" | "map" | undefined {
  const item = child(schema, "items");
  const type = text(item, "type");
  const listType = text(item, "x-kubernetes-list-type");
  if (type === "array")
    return present(item, "x-kubernetes-list-type") && listType !== "atomic" ? "list" : undefined;
  return type === "object" && text(item, "x-kubernetes-map-type") !== "atomic" ? "map" : undefined;
}

function validateMapList(schema: Json, path: string, errors: FieldErrors): void {
  const keys = strings(schema, "x-kubernetes-list-map-keys");
  const keysPath = at(path, "x-kubernetes-list-map-keys");
  if (keys.length === 0) errors.required(keysPath, "must not be empty if x-kubernetes-list-type is map");
  const itemsPath = at(path, "items");
  if (!present(schema, "items"))
    return errors.required(itemsPath, "must have a schema if x-kubernetes-list-type is map");
  const item = child(schema, "items");
  if (item === undefined)
    return errors.invalid(itemsPath, [], "must only have a single schema if x-kubernetes-list-type is map");
  const type = text(item, "type");
  if (type !== "object")
    return errors.invalid(
      at(itemsPath, "type"),
      type,
      "must be object if parent array's x-kubernetes-list-type is map",
    );
  const seen = new Set<string>();
  for (const name of keys) {
    const property = child(child(item, "properties"), name);
    if (property === undefined)
      errors.invalid(keysPath, keys, "entries must all be names of item properties");
    else if (["array", "object"].includes(text(property, "type")))
      errors.invalid(
        at(key(at(itemsPath, "properties"), name), "type"),
        type,
        "must be a scalar type if parent array's x-kubernetes-list-type is map",
      );
    if (seen.has(name)) errors.invalid(keysPath, keys, "must not contain duplicate entries");
    seen.add(name);
  }
}

/** Items of sets and maps are there, and every item of a map has all its keys. */
function validateItems(schema: Json, path: string, errors: FieldErrors): void {
  const listType = text(schema, "x-kubernetes-list-type");
  const item = child(schema, "items");
  if (item === undefined || (listType !== "set" && listType !== "map")) return;
  const itemsPath = at(path, "items");
  if (flag(item, "nullable"))
    errors.forbidden(
      at(itemsPath, "nullable"),
      `cannot be nullable when x-kubernetes-list-type is ${listType}`,
    );
  if (listType === "set") return;
  const required = new Set(strings(item, "required"));
  for (const name of strings(schema, "x-kubernetes-list-map-keys")) {
    const property = child(child(item, "properties"), name);
    if (property === undefined) continue;
    const place = key(at(itemsPath, "properties"), name);
    const why = "this property is in x-kubernetes-list-map-keys, so it";
    if (!required.has(name) && !present(property, "default"))
      errors.required(at(place, "default"), `${why} must have a default or be a required property`);
    if (flag(property, "nullable")) errors.forbidden(at(place, "nullable"), `${why} cannot be nullable`);
  }
}
