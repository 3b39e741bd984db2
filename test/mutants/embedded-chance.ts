import type { Mutant } from "./mutant.ts";

const BELOW = ["test/integration/api/below-objects.test.ts"];
const CLASSES = ["test/integration/api/runtime-classes.test.ts"];
const MERGED = ["test/integration/api/merged-values.test.ts"];
const METHODS = ["test/integration/api/methods.test.ts"];
const SCALE = ["test/integration/api/scale.test.ts"];

/** What requests made by chance have shown, once more. */
export const chanceMutants: readonly Mutant[] = [
  {
    name: "pods are bound and evicted, and tokens given, in a namespace that goes",
    file: "pkg/apiserver/admission/built-in-admission.ts",
    find: "below: [lifecycle]",
    replace: "below: []",
    tests: BELOW,
  },
  {
    name: "a pod without a name is refused without one",
    file: "pkg/apiserver/server/admit.ts",
    find: 'refusedName: name || generateName || "Unknown"',
    replace: "refusedName: name",
    tests: BELOW,
  },
  {
    name: "a runtime class adds tolerations that another one covers",
    file: "pkg/apiserver/admission/runtime-class.ts",
    find: "if (!merged.some(isCovered) && !later.some(isCovered)) merged.push(one);",
    replace: "merged.push(one);",
    tests: CLASSES,
  },
  {
    name: "a key that is applied as null is left out",
    file: "pkg/apiserver/server/apply-patch.ts",
    find: "const keepsNulls = call.served.body.checkMerged !== undefined;",
    replace: "const keepsNulls = false;",
    tests: MERGED,
  },
  {
    name: "a number beyond 64 bits is cut off instead of becoming the smallest one",
    file: "pkg/apiserver/decode/unstructured-problem.ts",
    find: "isInt64(value) || Math.abs(Number(value)) < 2 ** 63 ? BigInt(value) : -(2n ** 63n)",
    replace: "BigInt(value)",
    tests: MERGED,
  },
  {
    name: "an apply to the status gives a service addresses",
    file: "pkg/apiserver/kinds/network/service.ts",
    find: '    if (subresource !== "") return;\n    const spec = specOf(draft);\n    alignClusterIps(spec, undefined);',
    replace: "    const spec = specOf(draft);\n    alignClusterIps(spec, undefined);",
    tests: MERGED,
  },
  {
    name: "a DELETE of a watch deletes what would be watched",
    file: "pkg/apiserver/server/dispatch.ts",
    find: '|| (info.watchPath && request.method !== "GET")',
    replace: "",
    tests: METHODS,
  },
  {
    name: "a collection is deleted as it is, and not as it was at the version that is named",
    file: "pkg/apiserver/server/delete-collection.ts",
    find: "query.limit === 0 ? { ...query, limit: Infinity } : query",
    replace: "query",
    tests: METHODS,
  },
  {
    name: "what must be true of an object that is deleted is heard in the body alone",
    file: "pkg/apiserver/server/delete-options.ts",
    find: 'if (preconditions.length > 0) raw["preconditions"] = Object.fromEntries(preconditions);',
    replace: "",
    tests: METHODS,
  },
  {
    name: "who updates an object keeps the replicas when its scale is written as it is",
    file: "pkg/apiserver/apply/scale-managers.ts",
    find: "else if (scales.delete(id)) result.set(id, manager);",
    replace:
      "else if (scales.delete(managerId({ ...manager, apiVersion: SCALE_VERSION }))) result.set(id, manager);",
    tests: SCALE,
  },
];
