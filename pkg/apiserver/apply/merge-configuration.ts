import type { Steps } from "../../api/steps.ts";
import type { FieldSchema } from "./field-schema.ts";
import { withoutNulls } from "./managed-object.ts";
import { mergeApplied } from "./merge.ts";
import { fieldElement, printElement } from "./path-element.ts";
import { isList, isObject, TypedValueError } from "./typed-value.ts";
import { problemOfValue } from "./validate.ts";

/** The object with what somebody applies who will own nothing of it, and may not replace what is owned whole. */
export function* mergeConfiguration(schema: FieldSchema, object: unknown, applied: unknown): Steps<unknown> {
  const problem = yield* problemOfValue(schema, applied);
  if (problem !== undefined)
    throw new TypedValueError(`failed to convert patch object to typed object: ${problem}`);
  const atomics = atomicPaths(schema, applied, "");
  if (atomics.length > 0)
    throw new TypedValueError(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`,
    );
  return yield* withoutNulls(yield* mergeApplied(schema, object, applied));
}

/** upstream: mutating/patch/smd.go#findAtomics does not look into maps whose keys the type does not name. */
function atomicPaths(schema: FieldSchema, value: unknown, path: string): readonly string[] {
  if (isObject(value)) {
    if (schema.kind !== "map") return [];
    const own = schema.atomic ? [path] : [];
    const below = Object.entries(value).flatMap(([key, part]) => {
      const field = schema.field(key);
      return field === undefined ? [] : atomicPaths(field, part, `${path}${printElement(fieldElement(key))}`);
    });
    return [...own, ...below];
  }
  if (!isList(value)) return [];
  if (schema.kind === "deduced") return [path];
  if (schema.kind !== "list") return [];
  const own = schema.listType === "atomic" ? [path] : [];
  return [...own, ...value.flatMap((item, index) => atomicPaths(schema.items(), item, `${path}[${index}]`))];
}
