import { relative } from "node:path";
import { type Edit, edited } from "./mutant.ts";
import { isProbed, probed } from "./probes.ts";

const edits = JSON.parse(process.env["MUTANT_EDITS"] ?? "[]") as readonly Edit[];
const root = new URL("../..", import.meta.url).pathname;

/** What is loaded instead of a source: with the edits of MUTANT_EDITS, or with probes where PROBES names a directory. */
export function planted(path: string, source: string): string | undefined {
  if (process.env["PROBES"] === undefined) return edited(path, source, edits);
  const file = relative(root, path);
  return isProbed(file) ? probed(file, source) : undefined;
}
