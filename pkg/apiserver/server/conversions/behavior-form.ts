import { isJson, type Json } from "../../../api/json.ts";

/** A field of a form, by its name in v2; one with `within` has objects of that form, or a list of them. */
interface Field {
  readonly name: string;
  readonly within?: readonly Field[];
}

const policy: readonly Field[] = [{ name: "type" }, { name: "value" }, { name: "periodSeconds" }];
const rules: readonly Field[] = [
  { name: "stabilizationWindowSeconds" },
  { name: "selectPolicy" },
  { name: "policies", within: policy },
  { name: "tolerance" },
];
const behavior: readonly Field[] = [
  { name: "scaleUp", within: rules },
  { name: "scaleDown", within: rules },
];

/**
 * The behaviour of an autoscaler as its v1 annotation has it.
 * upstream: pkg/apis/autoscaling/v1/conversion.go writes the fields by their names in Go, all of them.
 */
export function behaviorToV1(value: Json): Json {
  return mapped(behavior, value, ({ name }, object) => [capitalized(name), object[name] ?? null]) as Json;
}

/** What the annotation says; Go reads names in any case. Undefined: nothing. */
export function behaviorFromV1(value: unknown): Json | undefined {
  if (!isJson(value)) return undefined;
  const read = mapped(behavior, value, ({ name }, object) => {
    const found = Object.entries(object).findLast(([key]) => key.toLowerCase() === name.toLowerCase());
    return [name, found?.[1] ?? undefined];
  }) as Json;
  return Object.keys(read).length === 0 ? undefined : read;
}

type ValueOf = (field: Field, object: Json) => readonly [name: string, value: unknown];

function mapped(form: readonly Field[], value: unknown, valueOf: ValueOf): unknown {
  if (Array.isArray(value)) return value.map((each) => mapped(form, each, valueOf));
  if (!isJson(value)) return value;
  return Object.fromEntries(
    form.flatMap((field) => {
      const [name, found] = valueOf(field, value);
      if (found === undefined) return [];
      return [[name, field.within === undefined ? found : mapped(field.within, found, valueOf)]];
    }),
  );
}

function capitalized(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
