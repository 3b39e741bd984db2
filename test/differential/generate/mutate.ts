import { isJson, type Json } from "../../../pkg/api/json.ts";
import { TOKEN, TWICE } from "../case.ts";
import type { Catalog, Schema } from "./catalog.ts";
import type { Chance } from "./chance.ts";
import { Values } from "./values.ts";

/** Changes of objects that were valid, guided by what the real server says of their types. */
export class Mutations {
  readonly #catalog: Catalog;
  readonly #chance: Chance;
  readonly values: Values;

  constructor(catalog: Catalog, chance: Chance) {
    this.#catalog = catalog;
    this.#chance = chance;
    this.values = new Values(catalog, chance);
  }

  /** Changes the object itself, in one place. */
  change(object: Json, schema: Schema): void {
    this.#object(object, this.#catalog.resolve(schema), 0);
  }

  #object(object: Json, schema: Schema, depth: number): void {
    const chance = this.#chance;
    const inner = Object.keys(object).filter(
      (key) => isInner(object[key]) && (depth > 0 || key !== "metadata"),
    );
    if (depth === 0 && chance.percent(6) && isJson(object["metadata"])) {
      this.#metadata(object["metadata"], this.#catalog.resolve(schema.properties?.["metadata"] ?? {}));
      return;
    }
    if (inner.length > 0 && chance.percent(depth === 0 ? 88 : 66)) {
      const key = chance.one(inner);
      const member = this.#catalog.resolve(schema.properties?.[key] ?? schema.additionalProperties ?? {});
      const value = object[key];
      if (Array.isArray(value)) this.#list(value, member, key, depth + 1);
      else if (isJson(value)) this.#object(value, member, depth + 1);
      return;
    }
    this.#here(object, schema);
  }

  #list(list: unknown[], schema: Schema, name: string, depth: number): void {
    const chance = this.#chance;
    const items = this.#catalog.resolve(schema.items ?? {});
    const at = chance.below(list.length);
    const item = list[at];
    const how = chance.below(100);
    if (isJson(item) && how < 70) this.#object(item, items, depth);
    else if (how < 78) list.push(structuredClone(item));
    else if (how < 85) list.splice(at, 1);
    else if (how < 93) list.push(this.values.of(items, name, 10));
    else list[at] = this.values.odd(items);
  }

  #here(object: Json, schema: Schema): void {
    const chance = this.#chance;
    const known = Object.keys(schema.properties ?? {});
    const there = Object.keys(object);
    const how = chance.below(100);
    if (known.length > 0 && (how < 50 || there.length === 0)) {
      const key = chance.one(known);
      if (key === "metadata" || key === "apiVersion") return;
      object[key] = this.values.of(schema.properties?.[key] ?? {}, key, 12, 2);
    } else if (there.length === 0) object["a"] = this.values.odd(schema.additionalProperties ?? {});
    else {
      const key = chance.one(there);
      const member = schema.properties?.[key] ?? schema.additionalProperties ?? {};
      if (how < 82) object[key] = this.values.odd(member);
      else if (how < 92) delete object[key];
      else if (how < 95) object[key + TWICE] = structuredClone(object[key]);
      else if (how < 98)
        object[chance.one(["unknown", key.toUpperCase(), ""])] = chance.one<unknown>([1, "x", null, {}]);
      else object[key] = this.values.of(member, key, 30, 1);
    }
  }

  /** Names keep what makes them unique: an object that nobody finds again stays for the cases to come. */
  #metadata(metadata: Json, schema: Schema): void {
    const chance = this.#chance;
    if (chance.percent(35))
      metadata["name"] = chance.one<unknown>([
        `${TOKEN}.a`,
        `${TOKEN}-`,
        `${TOKEN}_a`,
        `-${TOKEN}`,
        `${TOKEN}A`,
        `${TOKEN}${"a".repeat(50)}`,
        `${TOKEN}${"a".repeat(58)}`,
        `${TOKEN}${"a".repeat(250)}`,
        `${TOKEN}:x`,
        `${TOKEN}..a`,
        "",
        1,
        null,
        ".",
      ]);
    else {
      const known = Object.keys(schema.properties ?? {}).filter(
        (key) => key !== "name" && key !== "deletionTimestamp",
      );
      const key = chance.one(known);
      metadata[key] = this.values.of(schema.properties?.[key] ?? {}, key, 30, 1);
      if (key === "generateName" && chance.percent(70)) delete metadata["name"];
    }
  }
}

function isInner(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isJson(value);
}
