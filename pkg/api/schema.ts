/**
 * The fields of every built-in kind: their types, and how patches and server-side apply merge them.
 *
 * schema.gen.ts holds a line of text per definition, parsed when it is first asked for:
 *
 *   definition = [map type ";"] field { ";" field }
 *   field      = name ["*" when required] ":" type [" list=" type ["(" keys ")"]] [" map=" type]
 *                [" patch=" strategies ["(" merge key ")"]] [" default=" JSON]
 *   type       = "[]" type | "{}" type | "enum(" values ")" | scalar | definition's name
 */
import { definitionTexts, definitionsByKind, openApiPackages } from "./schema.gen.ts";
import { parseJson } from "./wire-json.ts";

const scalarKinds = [
  "any",
  "boolean",
  "bytes",
  "int32",
  "int64",
  "intOrString",
  "microTime",
  "number",
  /** An object of fields that the type does not name: RawExtension, FieldsV1. */
  "object",
  "quantity",
  "string",
  "time",
] as const;

export type ScalarKind = (typeof scalarKinds)[number];

export type FieldType =
  | { readonly kind: ScalarKind }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "list"; readonly items: FieldType }
  | { readonly kind: "map"; readonly values: FieldType }
  /** A definition by name; definitions may contain themselves. */
  | { readonly kind: "ref"; readonly definition: string };

export type MapType = "atomic" | "granular";
export type PatchStrategy = "merge" | "replace" | "retainKeys";

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  /** Zero values ("", 0, false, {}) are here too: they are what the API server writes for a field left out. */
  readonly default?: unknown;
  /** Server-side apply: lists without a type are atomic. */
  readonly listType?: "atomic" | "set" | "map";
  readonly listMapKeys: readonly string[];
  /** Server-side apply: overrides the map type of the field's definition. */
  readonly mapType?: MapType;
  readonly patchStrategies: readonly PatchStrategy[];
  readonly patchMergeKey?: string;
}

export interface Definition {
  /** "apps.v1.Deployment" */
  readonly name: string;
  readonly mapType?: MapType;
  readonly fields: ReadonlyMap<string, Field>;
}

const scalars: ReadonlyMap<string, FieldType> = new Map(scalarKinds.map((kind) => [kind, { kind }]));
const parsed = new Map<string, Definition>();

/** The definition of a built-in kind, or of one that every group has (v1 Status, v1 DeleteOptions). */
export function definitionOf(apiVersion: string, kind: string): Definition | undefined {
  const key = `${apiVersion} ${kind}`;
  const name = Object.hasOwn(definitionsByKind, key) ? definitionsByKind[key] : undefined;
  return name === undefined ? undefined : definition(name);
}

/** The definition of a name that a ref or definitionNames gave. */
export function definition(name: string): Definition {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const text = Object.hasOwn(definitionTexts, name) ? definitionTexts[name] : undefined;
  if (text === undefined) throw new Error(`there is no definition ${name}`);
  const made = parseDefinition(name, text);
  parsed.set(name, made);
  return made;
}

export function definitionNames(): readonly string[] {
  return Object.keys(definitionTexts);
}

/** "apps.v1.Deployment" → "io.k8s.api.apps.v1.Deployment", its name in OpenAPI documents. */
export function openApiName(definitionName: string): string {
  const dot = definitionName.lastIndexOf(".");
  const prefix = openApiPackages[definitionName.slice(0, dot)];
  if (prefix === undefined) throw new Error(`there is no definition ${definitionName}`);
  return prefix + definitionName.slice(dot);
}

function parseDefinition(name: string, text: string): Definition {
  const parts = text === "" ? [] : text.split(";");
  const mapType = parts[0]?.startsWith("map=") ? (parts.shift()?.slice(4) as MapType) : undefined;
  const fields = new Map(parts.map(parseField).map((field) => [field.name, field]));
  return { name, fields, ...(mapType !== undefined && { mapType }) };
}

function parseField(text: string): Field {
  const [declared = "", defaultText] = text.split(" default=", 2);
  const [head = "", ...attributes] = declared.split(" ");
  const colon = head.indexOf(":");
  const required = head[colon - 1] === "*";
  const facts = new Map(attributes.map(parseAttribute));
  const list = facts.get("list");
  const map = facts.get("map");
  const patch = facts.get("patch");
  return {
    name: head.slice(0, required ? colon - 1 : colon),
    type: parseType(head.slice(colon + 1)),
    required,
    listMapKeys: list?.details ?? [],
    patchStrategies: patch === undefined ? [] : (patch.value.split(",") as PatchStrategy[]),
    ...(defaultText !== undefined && { default: parseJson(defaultText) }),
    ...(list !== undefined && { listType: list.value as "atomic" | "set" | "map" }),
    ...(map !== undefined && { mapType: map.value as MapType }),
    ...(patch?.details[0] !== undefined && { patchMergeKey: patch.details[0] }),
  };
}

/** "list=map(name,protocol)" → list, { value: "map", details: ["name", "protocol"] } */
function parseAttribute(text: string): [name: string, fact: { value: string; details: readonly string[] }] {
  const equals = text.indexOf("=");
  const paren = text.indexOf("(");
  const value = text.slice(equals + 1, paren < 0 ? undefined : paren);
  return [text.slice(0, equals), { value, details: paren < 0 ? [] : text.slice(paren + 1, -1).split(",") }];
}

function parseType(text: string): FieldType {
  if (text.startsWith("[]")) return { kind: "list", items: parseType(text.slice(2)) };
  if (text.startsWith("{}")) return { kind: "map", values: parseType(text.slice(2)) };
  if (text.startsWith("enum(")) return { kind: "enum", values: text.slice(5, -1).split("|") };
  return scalars.get(text) ?? { kind: "ref", definition: text };
}
