import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { importedPackages, type Manifest, publishedManifest } from "./manifest.ts";

const repository: Manifest & { readonly private: boolean } = {
  private: true,
  name: "rooms",
  version: "1.2.3",
  description: "",
  license: "",
  keywords: [],
  exports: {
    "./a": "./pkg/a/index.ts",
    "./a/*": "./pkg/a/types/*.gen.ts",
    "./package.json": "./package.json",
  },
  bin: { run: "./cmd/run/main.ts" },
  dependencies: { one: "1.0.0", two: "2.0.0", undici: "8.0.0" },
  peerDependencies: { peer: ">=1" },
  peerDependenciesMeta: { peer: { optional: true } },
  publishConfig: {},
};

test("rooms lead to what is built, and nothing says private", () => {
  const published = publishedManifest(repository, []);
  expect(published).not.toHaveProperty("private");
  expect(published).toMatchObject({
    exports: {
      "./a": { types: "./lib/pkg/a/index.d.ts", default: "./lib/pkg/a/index.js" },
      "./a/*": { types: "./lib/pkg/a/types/*.gen.d.ts", default: "./lib/pkg/a/types/*.gen.js" },
      "./package.json": "./package.json",
    },
    bin: { run: "./bin/run.mjs" },
  });
});

test("what the rooms import is a dependency: with a range, unless it is reached into", () => {
  const { dependencies } = publishedManifest(repository, ["undici", "one", "peer"]);
  expect(dependencies).toEqual({ one: "^1.0.0", undici: "8.0.0" });
  expect(() => publishedManifest(repository, ["three"])).toThrow("three, which is no dependency");
});

test("imports are found in modules and declarations, and in no text", () => {
  const text = [
    'import { a } from "one";',
    'import "two/deep/file.js";',
    'export * from "@scope/three/part";',
    'import x from "node:fs";',
    'import { b } from "./near.js";',
    'const later = await import("four");',
    'const text = "from \\"five\\"";',
    "// from the start",
  ].join("\n");
  expect(importedPackages(text)).toEqual(["one", "two", "@scope/three", "four"]);
});

test("whatever has an entry file is a room, and every room is there", () => {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  const rooms = globSync("pkg/*/index.ts").map((path) => `.${path.slice("pkg".length, -"/index.ts".length)}`);
  expect(Object.keys(exports)).toEqual(expect.arrayContaining(rooms));
  for (const source of Object.values(exports)) expect(globSync(source), source).not.toEqual([]);
});
