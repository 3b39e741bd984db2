import { copyJson } from "../../api/json-copy.ts";
import type { Json } from "../../api/json.ts";
import { parseBodyJson } from "./json-depth.ts";
import { parseYaml } from "./yaml-text.ts";

export interface YamlBody {
  /** The reader's own. */
  readonly value: unknown;
  /** Keys that occur twice, each in the words of the API server. */
  readonly duplicates: readonly string[];
}

/** A body in YAML, which most clients write as JSON: that is read as such, unless it says something twice. */
export function readYamlBody(text: string): YamlBody {
  const json = text.trimStart().startsWith("{") ? readJson(text) : undefined;
  if (json !== undefined && !mayHaveDuplicates(text, json)) return { value: json, duplicates: [] };
  const { value, duplicates } = parseYaml(text);
  // What an alias stands for is there twice, and each is changed on its own.
  return { value: copyJson(value), duplicates };
}

function readJson(text: string): unknown {
  try {
    return parseBodyJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Fewer members than colons behind strings: a name may occur twice. A slow search says whether it does. */
export function mayHaveDuplicates(text: string, value: unknown): boolean {
  let colons = 0;
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) colons++;
  return /"\s+:/.test(text) || colons !== countMembers(value);
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item);
    return count;
  }
  for (const key of Object.keys(value)) {
    const member: unknown = (value as Json)[key];
    count += typeof member === "object" ? 1 + countMembers(member) : 1;
  }
  return count;
}

/** Of YAML that is refused for what it says twice. */
export function strictYamlProblem(duplicates: readonly string[]): string {
  return `yaml: unmarshal errors:\n${duplicates.map((one) => `  ${one}`).join("\n")}`;
}
