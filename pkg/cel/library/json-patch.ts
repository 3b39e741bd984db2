import { type FunctionOverload, overload } from "../declarations.ts";
import { asText } from "./arguments.ts";

/** Only for the expressions of policies that change objects. */
export const jsonPatchOverloads: readonly FunctionOverload[] = [
  overload("string_jsonpatch_escapeKey_string", "jsonpatch.escapeKey(string): string", (key) =>
    asText(key).replaceAll("~", "~0").replaceAll("/", "~1"),
  ),
];
