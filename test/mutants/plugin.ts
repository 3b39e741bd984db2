import type { Plugin } from "vitest/config";
import { type Edit, edited } from "./mutant.ts";

/** Puts the edits of MUTANT_EDITS into what tests load; nothing on disk changes. */
export function plantMutant(): Plugin[] {
  const text = process.env["MUTANT_EDITS"];
  if (text === undefined) return [];
  const edits = JSON.parse(text) as readonly Edit[];
  return [
    {
      name: "plant-mutant",
      enforce: "pre",
      transform: (source, path) => edited(path, source, edits),
    },
  ];
}
