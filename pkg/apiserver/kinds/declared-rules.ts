import { type GoField, type GoStruct, type GoType, structOf } from "../../api/go-types.ts";
import { isJson, type Json } from "../../api/json.ts";
import { labelKeyProblems } from "../../api/labels-validate.ts";
import { dnsLabelProblems, dnsSubdomainProblems } from "../../api/names.ts";
import { definition } from "../../api/schema.ts";
import type { FieldErrors } from "./field-errors.ts";
import { declaredRules } from "./field-rules.gen.ts";
import { byteLength } from "./formats.ts";

/**
 * Checks what the Go types declare of their fields: required, immutable, lengths, formats, enumerations, values that may be
 * there once. upstream: the +k8s: comments of k8s.io/api, which the hand-written rules there repeat.
 */
export function validateDeclared(object: Json, type: GoStruct, errors: FieldErrors, before?: Json): void {
  new DeclaredCheck(errors).struct(object, type, "", before);
}

/** Formats that are checked; the others are the kinds' own. */
const formats: Readonly<Record<string, (text: string) => readonly string[]>> = {
  "k8s-label-key": labelKeyProblems,
  "k8s-long-name": dnsSubdomainProblems,
  "k8s-long-name-caseless": (text) => dnsSubdomainProblems(text.toLowerCase()),
  "k8s-short-name": dnsLabelProblems,
};

interface Rule {
  readonly name: string;
  readonly value: string;
}

const parsed = new Map<GoField, readonly Rule[]>();

function rulesOf(struct: GoStruct, field: GoField): readonly Rule[] {
  let rules = parsed.get(field);
  if (rules === undefined) {
    const text = declaredRules[`${struct.name}.${field.name}`] ?? "";
    rules = (text === "" ? [] : text.split(" ")).map((rule) => {
      const [name = "", value = ""] = rule.split("=", 2);
      return { name, value };
    });
    parsed.set(field, rules);
  }
  return rules;
}

/** A field with all that its rules look at. */
interface Checked {
  readonly owner: GoStruct;
  readonly field: GoField;
  readonly path: string;
  readonly value: unknown;
}

class DeclaredCheck {
  readonly #errors: FieldErrors;

  constructor(errors: FieldErrors) {
    this.#errors = errors;
  }

  struct(object: Json, type: GoStruct, path: string, before?: Json): void {
    for (const field of type.fields.values()) {
      const value = object[field.name];
      const at = path === "" ? field.name : `${path}.${field.name}`;
      const rules = rulesOf(type, field);
      const isSet = says(value);
      if (!isSet && rules.some(({ name }) => name === "required")) this.#errors.required(at);
      if (before !== undefined && rules.some(({ name }) => name === "immutable"))
        this.#errors.immutable(at, value, before[field.name]);
      if (!isSet) continue;
      const found = this.#errors.list.length;
      for (const rule of rules) this.#rule(rule, { owner: type, field, path: at, value }, rules);
      // What is wrong as a whole is not looked into.
      if (this.#errors.list.length > found) continue;
      this.#below(value, field.type, at, childOf(before, field.name));
    }
  }

  #rule({ name, value: limit }: Rule, { owner, field, path, value }: Checked, rules: readonly Rule[]): void {
    const errors = this.#errors;
    if (name === "maxItems" && Array.isArray(value)) {
      if (value.length > Number(limit)) errors.tooMany(path, value.length, Number(limit));
    } else if (name === "unique" && Array.isArray(value)) {
      const key = rules.find((rule) => rule.name === "listMapKey")?.value;
      this.#unique(value, key, path);
    } else if (typeof value !== "string") return;
    else if (name === "maxLength" || name === "maxBytes") {
      if (byteLength(value) > Number(limit)) errors.tooLong(path, Number(limit));
    } else if (name === "format") errors.invalidEach(path, value, formats[limit]?.(value) ?? []);
    else if (name === "enum") {
      const type = definition(owner.name).fields.get(field.name)?.type;
      if (type?.kind === "enum" && !type.values.includes(value))
        errors.notSupported(path, value, type.values);
    }
  }

  #unique(list: readonly unknown[], key: string | undefined, path: string): void {
    const seen = new Set<unknown>();
    for (const [index, item] of list.entries()) {
      const value = key === undefined ? item : isJson(item) ? (item[key] ?? "") : undefined;
      if (seen.has(value)) this.#errors.duplicate(`${path}[${index}]`, value);
      seen.add(value);
    }
  }

  #below(value: unknown, type: GoType, path: string, before?: Json): void {
    if (type.kind === "struct") {
      if (isJson(value)) this.struct(value, structOf(type), path, before);
      return;
    }
    const items = type.items;
    if (items?.kind !== "struct") return;
    const members = Array.isArray(value) ? [...value.entries()] : isJson(value) ? Object.entries(value) : [];
    for (const [key, item] of members)
      if (isJson(item)) this.struct(item, structOf(items), `${path}[${key}]`);
  }
}

function childOf(object: Json | undefined, name: string): Json | undefined {
  const value = object?.[name];
  return isJson(value) ? value : undefined;
}

function says(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return true;
}
