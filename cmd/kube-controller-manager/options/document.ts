import { FAILSAFE_SCHEMA, load } from "js-yaml";
import { FlagError } from "./flag.ts";

export type Json = Readonly<Record<string, unknown>>;

/** The one object of a YAML or JSON file; a field twice is an error. Its scalars may be left as text. */
export function parseDocument(text: string, scalars: "typed" | "as text" = "typed"): Json {
  let document: unknown;
  try {
    document = load(text, scalars === "typed" ? {} : { schema: FAILSAFE_SCHEMA });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new FlagError(`is neither YAML nor JSON: ${reason}`, { cause: error });
  }
  if (!isObject(document)) throw new FlagError("must hold one object");
  return document;
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
