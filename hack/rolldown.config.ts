import { existsSync } from "node:fs";
import { defineConfig } from "rolldown";

const programs = { "kube-controller-manager": "cmd/kube-controller-manager/main.ts", kcm: "cmd/kcm/main.ts" };

/** One self-contained file for each program: Node.js and that file are all that it needs to run. */
const builds = Object.entries(programs)
  .filter(([, entry]) => existsSync(entry))
  .map(([name, entry]) => ({
    input: entry,
    platform: "node" as const,
    // Fastify asks for them only where a route has a schema or a test sends it a request without a network.
    external: ["@fastify/ajv-compiler", "@fastify/fast-json-stringify-compiler", "light-my-request"],
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
    // Modules are read when they are first needed: all at once they take 13 MB, much of which is never given back.
    optimization: { pifeForModuleWrappers: false },
  }));

export default defineConfig(builds);
