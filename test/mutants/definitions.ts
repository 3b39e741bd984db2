import type { Mutant } from "./mutant.ts";

const SERVERS = ["test/integration/api/definitions/definitions.test.ts"];

/** Custom resources and what defines them, bodies, and documents. */
export const definitionsMutants: readonly Mutant[] = [
  {
    name: "patterns are JavaScript's",
    file: "pkg/api/pattern.ts",
    find: "matches: (text) => program.test(text)",
    replace: 'matches: (text) => new RegExp(source.replace("(?i)", ""), "u").test(text)',
    tests: ["pkg/api/pattern.test.ts"],
  },
  {
    name: "a pattern may repeat as much as it likes",
    file: "pkg/api/pattern.ts",
    find: "if (estimate(source) > maxEstimate)",
    replace: "if (estimate(source) > 1000 * maxEstimate)",
    tests: ["pkg/api/pattern.test.ts"],
  },
  {
    name: "a match may take as long as it likes",
    file: "pkg/apiserver/crd/checks.ts",
    find: "    if (cost > this.#left) return false;\n",
    replace: "",
    tests: ["pkg/apiserver/crd/validate-value.test.ts"],
  },
  {
    name: "what stays as it was is refused",
    file: "pkg/apiserver/crd/validate-value.ts",
    find: "jsonEqual(value, place.before)",
    replace: "value === undefined",
    tests: ["pkg/apiserver/crd/validate-value.test.ts"],
  },
  {
    name: "defaults are not looked at",
    file: "pkg/apiserver/crd/rules/version-schemas.ts",
    find: "if (structural.list.length === 0) validateDefaults(schema, place, structural);",
    replace: "",
    tests: SERVERS,
  },
  {
    name: "logic may speak of what is not declared",
    file: "pkg/apiserver/crd/rules/structural.ts",
    find: "  validateCompleteness(schema, schema, { schema: path, rule: path }, errors);\n",
    replace: "",
    tests: SERVERS,
  },
  {
    name: "keys of a list may be missing",
    file: "pkg/apiserver/crd/rules/list-rules.ts",
    find: '!required.has(name) && !present(property, "default")',
    replace: "false",
    tests: SERVERS,
  },
  {
    name: "YAML may say everything twice",
    file: "pkg/apiserver/decode/yaml-text.ts",
    find: "if (Object.hasOwn(map, name))",
    replace: "if (Object.hasOwn(map, name) && name.length < 0)",
    tests: ["pkg/apiserver/http/yaml.test.ts"],
  },
  {
    name: "aliases may stand for as much as they like",
    file: "pkg/apiserver/decode/yaml-text.ts",
    find: "if (this.#nodes > maxNodes)",
    replace: "if (this.#nodes < 0)",
    tests: ["pkg/apiserver/http/yaml.test.ts"],
  },
  {
    name: "texts are written as the numbers that they look like",
    file: "pkg/apiserver/http/encode-yaml.ts",
    find: "return old === NOT_RESOLVED ? intCoreTag.resolve(source, isExplicit, tagName) : old;",
    replace: "return old === undefined ? intCoreTag.resolve(source, isExplicit, tagName) : NOT_RESOLVED;",
    tests: ["pkg/apiserver/http/yaml.test.ts"],
  },
  {
    name: "bodies may be as deep as the stack is not",
    file: "pkg/apiserver/decode/json-depth.ts",
    find: "if (depth > maxDepth)",
    replace: "if (depth > 1000 * maxDepth)",
    tests: ["test/integration/api/bodies.test.ts"],
  },
  {
    name: "patches may say everything twice",
    file: "pkg/apiserver/server/patch-oddities.ts",
    find: "mayHaveDuplicates(text, patch) ? duplicateFields(text) : []",
    replace: "mayHaveDuplicates(text, patch) ? [] : duplicateFields(text).slice(0, 0)",
    tests: ["test/integration/api/bodies.test.ts"],
  },
  {
    name: "nothing is said of fields",
    file: "pkg/apiserver/discovery/openapi.ts",
    find: 'versionSchemas([version], "v3", readDescriptions())',
    replace:
      'versionSchemas([version], "v3", Object.fromEntries(Object.entries(readDescriptions()).slice(0, 0)))',
    tests: ["pkg/apiserver/discovery/documents.test.ts"],
  },
];
