import { formatOf } from "./formats.ts";
import type { OpenApiSchema } from "../../cel/schemas/open-api-schema.ts";

/** What a schema says of the form of values. */
export interface Reading {
  readonly types: (schema: OpenApiSchema) => readonly string[];
  readonly format: (schema: OpenApiSchema) => string | undefined;
}

const none: readonly string[] = [];
const alone = new Map<string, readonly string[]>();
const intOrString: readonly string[] = ["integer", "string"];

function declaredTypes({ type = "" }: OpenApiSchema): readonly string[] {
  if (type === "") return none;
  const types = alone.get(type) ?? [type];
  // There are few types, but nobody has looked at those of a default yet.
  if (alone.size < 100) alone.set(type, types);
  return types;
}

/** As it is spelled. Defaults are held to that, whatever it means for objects. */
export const spelled: Reading = {
  types: declaredTypes,
  format: ({ format = "" }) => (format === "" ? undefined : format.replaceAll("-", "")),
};

/** As it is meant: formats that nobody knows say nothing. */
export const meant: Reading = {
  types: (schema) => (schema["x-kubernetes-int-or-string"] === true ? intOrString : declaredTypes(schema)),
  format: formatOf,
};
