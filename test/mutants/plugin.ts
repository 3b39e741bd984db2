import type { Plugin } from "vitest/config";
import { planted } from "./planted.ts";

/** Puts what is to be planted into what tests load; nothing on disk changes. */
export function plantMutant(): Plugin[] {
  if (process.env["MUTANT_EDITS"] === undefined) return [];
  return [
    {
      name: "plant-mutant",
      enforce: "pre",
      transform: (source, path) => planted(path, source),
      // It must not be read from, nor kept in, what was loaded before.
      configureVitest: ({ defineCacheKeyGenerator }) => {
        defineCacheKeyGenerator(({ id, sourceCode }) =>
          planted(id, sourceCode) === undefined ? undefined : false,
        );
      },
    },
  ];
}
