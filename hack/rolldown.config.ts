import { existsSync } from "node:fs";
import { defineConfig } from "rolldown";

const programs = { "kube-controller-manager": "cmd/kube-controller-manager/main.ts", kcm: "cmd/kcm/main.ts" };

/** One self-contained file for each program: Node.js and that file are all that it needs to run. */
const builds = Object.entries(programs)
  .filter(([, entry]) => existsSync(entry))
  .map(([name, entry]) => ({
    input: entry,
    platform: "node" as const,
    output: {
      file: `dist/${name}.mjs`,
      format: "esm" as const,
      sourcemap: true,
      codeSplitting: false,
      // Without any letter beyond Latin-1 the engine keeps the text with one byte for each, and so half the memory.
      charset: "ascii" as const,
      comments: false,
      minify: { mangle: false, compress: true, codegen: { removeWhitespace: false } },
    },
    treeshake: true,
  }));

export default defineConfig(builds);
