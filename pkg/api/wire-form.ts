import { readBase64 } from "./base64.ts";
import { DurationError, formatDurationNs, parseDurationNs } from "./duration.ts";
import { microTimeLayout, parseGoTime, timeLayout } from "./go-time.ts";
import { type GoField, goStruct, type GoStruct, type GoType, structOf } from "./go-types.ts";
import { isInt32, isInt64 } from "./int64.ts";
import { isWrittenQuantity, parseQuantity, QuantityError } from "./quantity-parse.ts";
import { definition, type Definition, definitionOf } from "./schema.ts";
import { formatMicros, formatTime, isPlainTime } from "./time.ts";
import { isJson, type Json } from "./json.ts";

/** Where in an object a value stands. */
export interface Place {
  /** Where the object itself stands. */
  readonly root: readonly string[];
  /** From there, with the names of maps and the indexes of lists. */
  readonly path: readonly (string | number)[];
  /** The fields of Go's structs on the way there, and the struct that the last of them belongs to. */
  readonly fields: readonly GoField[];
  readonly owner: GoStruct;
}

/** What is told of a value that is not what its type takes. */
export interface DecodingProblems {
  unknownField(place: Place, name: string): void;
  /** `detail`: what the type itself has against the value. */
  misfit(place: Place, value: unknown, type: GoType, detail?: string): void;
  /** How the number there is written, if it has a fraction or an exponent: that is no integer, whatever its value. */
  written(place: Place): string | undefined;
}

/**
 * Gives an object the form in which the API server writes it: no unknown fields, no nulls and empty optional values,
 * required fields at their zero value, quantities and times in canonical spelling. A value of the wrong type stays as
 * it is.
 */
export function normalizeWireForm(object: Json, apiVersion: string, kind: string): void {
  const root = definitionOf(apiVersion, kind);
  if (root !== undefined) normalizeFields(object, root);
}

/** The same for an object on its way in, where an empty list that somebody gives is not yet one that nobody gave. */
export function normalizeGiven(object: Json, apiVersion: string, kind: string): void {
  const type = goStruct(definitionOf(apiVersion, kind)?.name ?? "");
  if (type !== undefined) new Walk(type, undefined, [], true).struct(object, type);
}

/** The same, of a part of an object. */
function normalizeFields(object: Json, owner: Definition): void {
  const type = goStruct(owner.name);
  if (type !== undefined) decodeWireForm(object, type, undefined, []);
}

/** The same, and tells of all that is not what the types take. `root` is where the object itself stands. */
export function decodeWireForm(
  object: Json,
  type: GoStruct,
  problems: DecodingProblems | undefined,
  root: readonly string[],
): void {
  new Walk(type, problems, root, problems !== undefined).struct(object, type);
}

/** Fields of features that are off by default: they are taken, and not kept. */
const switchedOff: Readonly<Record<string, readonly string[]>> = {
  "core.v1.Lifecycle": ["stopSignal"],
  "core.v1.NodeSpec": ["configSource"],
};

interface Shape {
  readonly fields: ReadonlyMap<string, GoField>;
  readonly filled: readonly GoField[];
  /** Defaults that the types declare; zeros only of pointers, for others are zero without them. */
  readonly defaults: ReadonlyMap<string, unknown>;
  readonly switchedOff: readonly string[];
}

const shapes = new Map<GoStruct, Shape>();

function shapeOf(struct: GoStruct): Shape {
  const existing = shapes.get(struct);
  if (existing !== undefined) return existing;
  const defaults = new Map<string, unknown>();
  for (const { name, default: value } of definition(struct.name).fields.values()) {
    if (value === undefined || isJson(value)) continue;
    const isZero = value === "" || value === 0 || value === false;
    if (!isZero || struct.fields.get(name)?.type.pointer === true) defaults.set(name, value);
  }
  const filled = [...struct.fields.values()].filter(
    ({ name, unset }) => unset !== undefined || defaults.has(name),
  );
  const shape = { fields: struct.fields, filled, defaults, switchedOff: switchedOff[struct.name] ?? [] };
  shapes.set(struct, shape);
  return shape;
}

class Walk {
  readonly #problems: DecodingProblems | undefined;
  readonly #root: readonly string[];
  readonly #path: (string | number)[] = [];
  readonly #fields: GoField[] = [];
  /** Empty lists and maps stay where the type does not leave them out: only the storage makes nulls of them. */
  readonly #keepsEmpty: boolean;
  /** The struct that was read last said nothing but what is switched off. */
  #isEmptied = false;
  #owner: GoStruct;

  constructor(
    type: GoStruct,
    problems: DecodingProblems | undefined,
    root: readonly string[],
    keepsEmpty: boolean,
  ) {
    this.#keepsEmpty = keepsEmpty;
    this.#owner = type;
    this.#problems = problems;
    this.#root = root;
  }

  struct(object: Json, type: GoStruct): void {
    const { fields, filled, defaults, switchedOff } = shapeOf(type);
    const outer = this.#owner;
    for (const name of Object.keys(object)) {
      const field = fields.get(name);
      const value = object[name];
      if (field === undefined) {
        this.#problems?.unknownField(this.#place(), name);
        delete object[name];
      } else if (value === undefined || value === null) delete object[name];
      else {
        this.#owner = type;
        this.#path.push(name);
        this.#fields.push(field);
        const read = this.#value(value, field.type);
        this.#fields.pop();
        this.#path.pop();
        if (this.#isEmptied) {
          this.#isEmptied = false;
          if (field.type.pointer) delete object[name];
        } else if (saysNothing(read, field) && !(this.#keepsEmpty && isGiven(read, field)))
          delete object[name];
        else if (read !== value) object[name] = read;
      }
    }
    this.#owner = outer;
    if (!this.#keepsEmpty && switchedOff.length > 0) this.#switchOff(object, switchedOff);
    for (const field of filled) {
      if (object[field.name] === undefined) object[field.name] = this.#unset(field, defaults.get(field.name));
    }
  }

  #switchOff(object: Json, names: readonly string[]): void {
    const given = names.filter((name) => object[name] !== undefined);
    for (const name of given) delete object[name];
    this.#isEmptied = given.length > 0 && Object.keys(object).length === 0;
  }

  #unset({ unset, type }: GoField, value: unknown): unknown {
    if (value !== undefined) return value;
    if (unset === "struct") return this.#zero(type);
    return unset === "null" ? null : unset;
  }

  #zero(type: GoType): unknown {
    if (type.pointer) return null;
    switch (type.kind) {
      case "struct": {
        const made: Json = {};
        this.struct(made, structOf(type));
        return made;
      }
      case "string":
      case "bytes":
        return "";
      case "bool":
        return false;
      case "int32":
      case "int64":
      case "float64":
      case "intOrString":
        return 0;
      case "quantity":
        return "0";
      case "duration":
        return "0s";
      case "any":
      case "list":
      case "map":
      case "microTime":
      case "raw":
      case "time":
      default:
        return null;
    }
  }

  #value(value: unknown, type: GoType): unknown {
    switch (type.kind) {
      case "string":
        return typeof value === "string" ? value : this.#misfit(value, type);
      case "bool":
        return typeof value === "boolean" ? value : this.#misfit(value, type);
      case "int32":
        return isInt32(value) && this.#isInteger() ? value : this.#misfit(value, type);
      case "int64":
        return isInt64(value) && this.#isInteger() ? value : this.#misfit(value, type);
      case "float64":
        if (typeof value === "bigint") return Number(value);
        return typeof value === "number" ? value : this.#misfit(value, type);
      case "intOrString":
        if (typeof value === "string") return value;
        return isInt32(value) && this.#isInteger() ? value : this.#misfit(value, type);
      case "struct":
        if (!isJson(value)) return this.#misfit(value, type);
        this.struct(value, structOf(type));
        return value;
      case "list":
        return Array.isArray(value) ? this.#list(value, type.items) : this.#misfit(value, type);
      case "map":
        return isJson(value) ? this.#map(value, type) : this.#misfit(value, type);
      case "any":
      case "raw":
        return value;
      case "bytes":
      case "duration":
      case "microTime":
      case "quantity":
      case "time":
      default:
        return this.#text(value, type);
    }
  }

  /** Types whose values are texts that can be wrong. */
  #text(value: unknown, type: GoType, exponent = -9): unknown {
    if (type.kind === "quantity") return this.#quantity(value, type, exponent);
    if (type.kind === "bytes" && Array.isArray(value)) return this.#bytesOfList(value, type);
    if (typeof value !== "string") return this.#misfit(value, type);
    if (type.kind === "time" || type.kind === "microTime") return this.#time(value, type);
    if (type.kind === "bytes") {
      const read = readBase64(value);
      if (typeof read === "string") return read;
      return this.#misfit(value, type, `illegal base64 data at input byte ${read.wrongAt}`);
    }
    try {
      return formatDurationNs(parseDurationNs(value));
    } catch (error) {
      if (error instanceof DurationError) return this.#misfit(value, type, error.message);
      throw error;
    }
  }

  #quantity(value: unknown, type: GoType, exponent: number): unknown {
    const known = exponent === -9 ? finest : thousandths;
    if (typeof value === "string" && known.has(value)) return value;
    try {
      const written = isWrittenQuantity(value)
        ? (this.#problems?.written(this.#place()) ?? value)
        : JSON.stringify(value);
      const read = parseQuantity(typeof written === "string" ? written.trim() : written);
      const text = read.roundUp(exponent).toString();
      if (known.size >= MOST_KNOWN) known.clear();
      known.add(text);
      return text;
    } catch (error) {
      if (error instanceof QuantityError) return this.#misfit(value, type, error.message);
      throw error;
    }
  }

  /** RFC 3339 in UTC with a fixed number of fractional digits. The first moment there is stands for none. */
  #time(value: string, type: GoType): unknown {
    const isMicro = type.kind === "microTime";
    if (isMicro ? isPlainMicroTime(value) : isPlainTime(value)) return value;
    const read = parseGoTime(value, isMicro ? microTimeLayout : timeLayout);
    if (typeof read === "string") return this.#misfit(value, type, read);
    const { secondMs, micros } = read;
    if (secondMs === NO_TIME_MS && micros === 0) return null;
    return isMicro ? formatMicros(secondMs * 1000 + micros) : formatTime(secondMs);
  }

  /** Go reads bytes from a list of numbers, too. */
  #bytesOfList(list: readonly unknown[], type: GoType): unknown {
    const wrong = list.find((item) => item !== null && !(isInt32(item) && item >= 0 && item <= 255));
    if (wrong !== undefined) return this.#misfit(wrong, { ...type, kind: "int32", go: "uint8" });
    return Buffer.from(list.map(Number)).toString("base64");
  }

  #list(list: unknown[], items: GoType | undefined): unknown[] {
    if (items === undefined) return list;
    for (const [index, item] of list.entries()) {
      this.#path.push(index);
      const read = item === null || item === undefined ? this.#zero(items) : this.#value(item, items);
      this.#path.pop();
      if (read !== item) list[index] = read;
    }
    return list;
  }

  #map(map: Json, type: GoType): Json {
    const { items } = type;
    if (items === undefined) return map;
    for (const key of Object.keys(map)) {
      const value = map[key];
      this.#path.push(key);
      const read = this.#mapped(value, items, type.go === "v1.ResourceList");
      this.#path.pop();
      if (read !== value) map[key] = read;
    }
    return map;
  }

  /** Amounts in resource lists are kept to thousandths. */
  #mapped(value: unknown, items: GoType, isResourceList: boolean): unknown {
    if (value === null || value === undefined) return this.#zero(items);
    return isResourceList ? this.#text(value, items, -3) : this.#value(value, items);
  }

  #isInteger(): boolean {
    return this.#problems?.written(this.#place()) === undefined;
  }

  #misfit(value: unknown, type: GoType, detail?: string): unknown {
    this.#problems?.misfit(this.#place(), value, type, detail);
    return value;
  }

  #place(): Place {
    return { root: this.#root, path: this.#path, fields: this.#fields, owner: this.#owner };
  }
}

/** Amounts in their canonical spelling, as most are: they need not be read again. */
const finest = new Set<string>();
const thousandths = new Set<string>();
const MOST_KNOWN = 1_000;

function isPlainMicroTime(text: string): boolean {
  return text.length === 27 && /^\.\d{6}Z$/.test(text.slice(19)) && isPlainTime(`${text.slice(0, 19)}Z`);
}

/** The first of January of the year 1, Go's zero time. */
const NO_TIME_MS = -62_135_596_800_000;

/** Whether Go's encoder leaves the value out, or writes it as if it were not set. */
function saysNothing(value: unknown, { name, type, omitsEmpty }: GoField): boolean {
  if (value === null) return true;
  if (type.pointer) return false;
  // No managers at all are a request to forget those that there are.
  if (type.kind === "list") return Array.isArray(value) && value.length === 0 && name !== "managedFields";
  if (type.kind === "map") return isJson(value) && Object.keys(value).length === 0;
  if (!omitsEmpty) return false;
  if (type.kind === "string" || type.kind === "bytes") return value === "";
  if (type.kind === "bool") return value === false;
  return value === 0 && numbers.has(type.kind);
}

const numbers: ReadonlySet<GoType["kind"]> = new Set(["float64", "int32", "int64"]);

function isGiven(value: unknown, { unset }: GoField): boolean {
  return unset === "null" && value !== null;
}
