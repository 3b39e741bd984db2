import type { Mutant } from "./mutant.ts";

const turns: readonly Mutant[] = [
  {
    name: "work on a large object never pauses",
    file: "pkg/clock/turns.ts",
    find: "      if (next !== undefined) await next;\n    }",
    replace: "    }",
    tests: ["pkg/apiserver/server/large-objects.test.ts"],
  },
  {
    name: "a comparison of a large object is one step",
    file: "pkg/apiserver/apply/compare.ts",
    find: "    for (const key of keysOf(before, after)) {\n      if (++count % STEP === 0) yield;",
    replace: "    for (const key of keysOf(before, after)) {\n      if (++count < 0) yield;",
    tests: ["pkg/apiserver/server/large-objects.test.ts"],
  },
];

const pods: readonly Mutant[] = [
  {
    name: "a pod that is bound is nominated still",
    file: "pkg/apiserver/server/binding.ts",
    find: "const { nominatedNodeName: _, ...status }: PodStatus =",
    replace: "const status: PodStatus =",
    tests: ["test/integration/api/bindings.test.ts"],
  },
];

const beginnings: readonly Mutant[] = [
  {
    name: "whoever cleans up tokens from another program is not told since when uses are noted",
    file: "pkg/cluster/cluster-server.ts",
    find: "usesServiceAccounts(options) || http !== undefined,",
    replace: "usesServiceAccounts(options),",
    tests: ["pkg/cluster/cluster.test.ts"],
  },
];

const services: readonly Mutant[] = [
  {
    name: "what writes under way will have can be had by others",
    file: "pkg/apiserver/admission/service-allocation.ts",
    find: "filter((held) => held !== own)",
    replace: "filter(() => false)",
    tests: ["pkg/apiserver/admission/service-allocation.test.ts"],
  },
  {
    name: "what a refused service was to have is never free again",
    file: "pkg/apiserver/server/api-server.ts",
    find: "    call.scope.end();\n",
    replace: "",
    tests: ["pkg/apiserver/admission/service-allocation.test.ts"],
  },
];

const answers: readonly Mutant[] = [
  {
    name: "keys that have come lately are not in order",
    file: "pkg/apiserver/storage/sorted-keys.ts",
    find: "merged(this.#sorted, added.sort())",
    replace: "merged(this.#sorted, added)",
    tests: ["pkg/apiserver/storage/sorted-keys.test.ts"],
  },
  {
    name: "warnings are as long as they like",
    file: "pkg/apiserver/server/warning-headers.ts",
    find: "    isCut = true;\n",
    replace: "",
    tests: ["pkg/apiserver/server/warning-headers.test.ts"],
  },
  {
    name: "YAML of a text that ends with empty lines ends the document",
    file: "pkg/apiserver/http/encode-yaml.ts",
    find: "text.endsWith(END) ? text.slice(0, 1 - END.length) : text",
    replace: "text",
    tests: ["pkg/apiserver/http/yaml.test.ts"],
  },
  {
    name: "of items of one key, the last one is patched",
    file: "pkg/api/patch/list-order.ts",
    find: "if (!this.#first.has(identity)) this",
    replace: "this",
    tests: ["pkg/api/patch/strategic-merge-patch.test.ts"],
  },
  {
    name: "what always is written, though nothing, is nobody's before it is something",
    file: "pkg/apiserver/apply/built-in-schema.ts",
    find: 'written === undefined ? field.required : written.unset === "null"',
    replace: "field.required",
    tests: ["test/integration/api/token-requests.test.ts"],
  },
  {
    name: "what a token request leaves out is filled in too late to be owned",
    file: "pkg/apiserver/server/virtual-create.ts",
    find: "  handler.setDefaults?.(body);\n",
    replace: "",
    tests: ["test/integration/api/token-requests.test.ts"],
  },
];

const patches: readonly Mutant[] = [
  {
    name: "a JSON patch has as many operations as it likes",
    file: "pkg/apiserver/server/patch.ts",
    find: "      if (patch.length > MOST_OPERATIONS) throw tooManyOperations(patch.length);\n",
    replace: "",
    tests: ["test/integration/api/json-patches.test.ts"],
  },
  {
    name: "a JSON patch copies as much as it likes",
    file: "pkg/api/patch/json-patch.ts",
    find: "if (this.#copied > MOST_COPIED) {",
    replace: "if (this.#copied < 0) {",
    tests: ["test/integration/api/json-patches.test.ts"],
  },
  {
    name: "what a JSON patch copies changes with the original",
    file: "pkg/api/patch/json-patch.ts",
    find: "    return copyJson(value);\n",
    replace: "    return value;\n",
    tests: ["test/integration/api/json-patches.test.ts"],
  },
];

export const embeddedMutants: readonly Mutant[] = [
  ...turns,
  ...pods,
  ...beginnings,
  ...services,
  ...answers,
  ...patches,
];
