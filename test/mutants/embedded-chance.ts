import type { Mutant } from "./mutant.ts";

const BELOW = ["test/integration/api/below-objects.test.ts"];
const CLASSES = ["test/integration/api/runtime-classes.test.ts"];
const ODD = ["test/integration/api/odd-requests.test.ts"];
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
  {
    name: "addresses that an update leaves out are given anew",
    file: "pkg/apiserver/kinds/network/service.ts",
    find: '  if (text(spec, "clusterIP") === "") copyField(spec, old, "clusterIP");\n',
    replace: "",
    tests: ["test/integration/api/service-families.test.ts"],
  },
  {
    name: "of addresses of one family two are taken",
    file: "pkg/apiserver/kinds/network/service-validation.ts",
    find: "if (ips.length > 1 && new Set(own).size < 2)",
    replace: "if (ips.length > 2 && new Set(own).size < 2)",
    tests: ["test/integration/api/service-families.test.ts"],
  },
  {
    name: "a node port belongs to a place, not to a name",
    file: "pkg/apiserver/admission/node-ports.ts",
    find: 'text(one, "name") === text(port, "name")',
    replace: 'count(one, "port") === count(port, "port")',
    tests: ["test/integration/api/node-ports.test.ts"],
  },
  {
    name: "a node port that another port claims is kept",
    file: "pkg/apiserver/admission/node-ports.ts",
    find: "return claimed.has(number) ? 0 : number;",
    replace: "return number;",
    tests: ["test/integration/api/node-ports.test.ts"],
  },
  {
    name: "an eviction of a pod without identity says nothing",
    file: "pkg/apiserver/server/eviction.ts",
    find: "uid: options.uid || undefined, resourceVersion: resourceVersion || undefined",
    replace: "uid: options.uid, resourceVersion: resourceVersion || undefined",
    tests: ["test/integration/api/quotas-and-evictions.test.ts"],
  },
  {
    name: "a watch as no table begins",
    file: "pkg/apiserver/server/watch.ts",
    find: "  output.requireForm();\n",
    replace: "",
    tests: ["test/integration/api/reads.test.ts"],
  },
  {
    name: "a review tells what it was told",
    file: "pkg/apiserver/auth/token-reviews.ts",
    find: "const { authenticated: _, ...given }",
    replace: "const { ...given }",
    tests: ["test/integration/api/token-requests.test.ts"],
  },
  {
    name: "a template of pods warns only when it is new",
    file: "pkg/apiserver/kinds/workloads/pod-template.ts",
    find: 'templateWarnings("template", (object) => child(object, "template") ?? {})',
    replace:
      '(draft, before) =>\n      before === undefined\n        ? templateWarnings("template", (object) => child(object, "template") ?? {})(draft, before)\n        : []',
    tests: ["test/integration/api/warnings.test.ts"],
  },
  {
    name: "devices are given to pods without the users of the host",
    file: "pkg/apiserver/kinds/pod/pod-spec.ts",
    find: 'if (items(container, "volumeDevices").length > 0)',
    replace: 'if (items(container, "volumeDevices").length > 9)',
    tests: ["test/integration/api/corpus/corpus.test.ts"],
  },
  {
    name: "a name of one part is a domain",
    file: "pkg/apiserver/kinds/network/endpoints.ts",
    find: 'else if (!domain.includes("."))',
    replace: 'else if (domain.includes(".."))',
    tests: ["test/integration/api/corpus/corpus.test.ts"],
  },
  {
    name: "shares of devices are called anything",
    file: "pkg/apiserver/kinds/devices/claim-status.ts",
    find: "    validateShareId(device, path, errors);\n",
    replace: "",
    tests: ["test/integration/api/corpus/corpus.test.ts"],
  },
  {
    name: "names of what is merged have no order",
    file: "pkg/apiserver/server/patched-draft.ts",
    find: "isJson(result.patched) ? inOrder(result.patched) : result.patched",
    replace: "result.patched",
    tests: MERGED,
  },
  {
    name: "an empty list of managers says nothing",
    file: "pkg/api/wire-form.ts",
    find: ' && name !== "managedFields"',
    replace: ' && name !== "managers"',
    tests: ODD,
  },
  {
    name: "hints name a zone twice",
    file: "pkg/apiserver/kinds/network/endpoints.ts",
    find: "      if (names.has(name)) errors.duplicate(`${path}.hints",
    replace: "      if (names.has(key)) errors.duplicate(`${path}.hints",
    tests: ODD,
  },
  {
    name: "of too many hints each is looked at",
    file: "pkg/apiserver/kinds/network/endpoints.ts",
    find: "return errors.tooMany(`${path}.hints.${key}`, given.length, 8);",
    replace: "errors.tooMany(`${path}.hints.${key}`, given.length, 8);",
    tests: ODD,
  },
  {
    name: "a pod's class of quality is always counted out",
    file: "pkg/apiserver/kinds/pod/pod.ts",
    find: 'given === "" ? podQosClass(spec) : given',
    replace: 'given === "none" ? given : podQosClass(spec)',
    tests: ODD,
  },
  {
    name: "an eviction is tried in two ways at once",
    file: "pkg/apiserver/server/eviction.ts",
    find: "if (inQuery === inOptions) return;",
    replace: "if (inQuery !== inOptions) return;",
    tests: ["test/integration/api/quotas-and-evictions.test.ts"],
  },
];
