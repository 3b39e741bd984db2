import type { Mutant } from "./mutant.ts";

const answers = ["test/integration/api/webhooks/admission-answers.test.ts"];
const requests = ["test/integration/api/webhooks/admission-requests.test.ts"];
const matching = ["test/integration/api/webhooks/admission-matching.test.ts"];
const conversion = ["test/integration/api/webhooks/conversion.test.ts"];
const local = ["pkg/apiserver/admission/webhooks/webhook-admission.test.ts"];
const room = "pkg/apiserver/admission/webhooks";

const asking: readonly Mutant[] = [
  {
    name: "whoever cannot be called is left out, whatever the policy",
    file: `${room}/ask-webhook.ts`,
    find: 'if (spec.failurePolicy === "Ignore") return undefined;',
    replace: 'if (spec.failurePolicy !== "") return undefined;',
    tests: answers,
  },
  {
    name: "a refusal keeps a code of success",
    file: `${room}/ask-webhook.ts`,
    find: "code < 400 ? 400 : code,",
    replace: "code,",
    tests: answers,
  },
  {
    name: "warnings of webhooks get lost",
    file: `${room}/ask-webhook.ts`,
    find: 'if (warning !== "") attributes.warn(warning);',
    replace: 'if (warning === "") attributes.warn(warning);',
    tests: answers,
  },
  {
    name: "the answer to another request is taken",
    file: `${room}/admission-review.ts`,
    find: 'if (text(response, "uid") !== uid)',
    replace: 'if (text(response, "uid") === "")',
    tests: answers,
  },
  {
    name: "those that validate may patch",
    file: `${room}/admission-review.ts`,
    find: 'if (patch !== "") throw invalid("validating webhook may not return response.patch");',
    replace: "",
    tests: answers,
  },
  {
    name: "what a patch leaves out is not filled in",
    file: "pkg/apiserver/admission/matching/admitted-objects.ts",
    find: "if (this.#attributes.bodyKind === undefined) this.#served.rules.setDefaults?.(draft);",
    replace: "",
    tests: answers,
  },
  {
    name: "a webhook moves objects into other namespaces",
    file: "pkg/apiserver/server/create.ts",
    find: "  // Those who admit may say what they like of it.\n  matchNamespace(draft, call);",
    replace: "",
    tests: answers,
  },
  {
    name: "who owns which fields is what a webhook says, whatever that is",
    file: "pkg/apiserver/admission/chain.ts",
    find: "if (isAsked && draft !== undefined) keepManagedFields(attributes, draft, managedFields);",
    replace: "void [isAsked, managedFields];",
    tests: answers,
  },
  {
    name: "webhooks have a say in their own configuration",
    file: "pkg/apiserver/admission/matching/exemptions.ts",
    find: "return resource.group === OWN_GROUP;",
    replace: "return resource.group === `no ${OWN_GROUP}`;",
    tests: answers,
  },
  {
    name: "any authority is trusted where one is named",
    file: "pkg/apiserver/webhook-client/webhook-transport.ts",
    find: "...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),",
    replace: "...(ca === undefined ? {} : { rejectUnauthorized: false }),",
    tests: answers,
  },
];

const telling: readonly Mutant[] = [
  {
    name: "many that are deleted are told by their names",
    file: "pkg/apiserver/server/delete.ts",
    find: 'name: call.verb === "deletecollection" ? "" : info.name,',
    replace: "name: info.name,",
    tests: requests,
  },
  {
    name: "who evicts a pod is told to update and delete it",
    file: "pkg/apiserver/server/eviction.ts",
    find: 'const own = withinServer({ ...call, info: { ...info, subresource: "" } });',
    replace: 'const own = { ...call, info: { ...info, subresource: "" } };',
    tests: requests,
  },
  {
    name: "a scale is told as what it scales, too",
    file: "pkg/apiserver/server/scale.ts",
    find: "return writeExisting(withinServer(call), query, {",
    replace: "return writeExisting(call, query, {",
    tests: requests,
  },
  {
    name: "a deletion that goes on already is told again",
    file: "pkg/apiserver/server/delete.ts",
    find: '    if (deletionStep(call, stored, options).kind === "wait") return { object: stored, gone: false };\n    const remote',
    replace: "    const remote",
    tests: requests,
  },
  {
    name: "services have their addresses before webhooks see them",
    file: "pkg/apiserver/admission/chain.ts",
    find: "      mutateBy(plugins, attributes, draft);\n      const managedFields",
    replace: "      mutateBy([...plugins, ...storing], attributes, draft);\n      const managedFields",
    tests: requests,
  },
  {
    name: "a PUT without a version is told with one",
    file: "pkg/apiserver/server/update.ts",
    find: "  await admission.mutate(attributes, draft);\n  // Only now",
    replace:
      '  draft.metadata["resourceVersion"] = before.metadata.resourceVersion;\n  await admission.mutate(attributes, draft);\n  // Only now',
    tests: requests,
  },
];

const choosing: readonly Mutant[] = [
  {
    name: "a rule about the cluster's objects is about all",
    file: "pkg/apiserver/admission/matching/match-rule.ts",
    find: 'return scope === "Cluster" ? isOfCluster : scope === "Namespaced" && !isOfCluster;',
    replace: 'return scope === "Cluster" || (scope === "Namespaced" && !isOfCluster);',
    tests: matching,
  },
  {
    name: "the labels that an object had do not count",
    file: "pkg/apiserver/admission/matching/selectors.ts",
    find: "return [object, before].some(",
    replace: "return [object].some(",
    tests: matching,
  },
  {
    name: "only the exact resource is matched",
    file: `${room}/should-call.ts`,
    find: 'if (spec.matchPolicy === "Exact") return undefined;',
    replace: "if (spec.matchPolicy !== undefined) return undefined;",
    tests: matching,
  },
  {
    name: "what a webhook makes of another version is stored as it is",
    file: "pkg/apiserver/admission/matching/admitted-objects.ts",
    find: "    await this.show(this.#attributes.served);\n",
    replace: "",
    tests: matching,
  },
  {
    name: "nobody is asked again",
    file: "pkg/apiserver/admission/chain.ts",
    find: "    for (const mutation of mutations) await mutation.again(draft);\n",
    replace: "",
    tests: matching,
  },
  {
    name: "everybody is asked again",
    file: `${room}/webhook-admission.ts`,
    find: "await this.#round(draft, ({ id }) => this.#reinvocation.isDue(id));",
    replace: "await this.#round(draft, () => true);",
    tests: matching,
  },
  {
    name: "the plugins do not look again at what a webhook has changed",
    file: "pkg/apiserver/admission/chain.ts",
    find: "    between();\n",
    replace: "",
    tests: matching,
  },
  {
    name: "a condition that does not hold is passed over",
    file: "pkg/apiserver/admission/expressions/conditions.ts",
    find: 'if (evaluated.some((one) => "value" in one && one.value === false)) return false;',
    replace: "",
    tests: matching,
  },
  {
    name: "whose conditions cannot be evaluated is asked where it may be left out",
    file: `${room}/should-call.ts`,
    find: 'if (spec.failurePolicy === "Ignore") return false;',
    replace: 'if (spec.failurePolicy === "Ignore") return true;',
    tests: matching,
  },
  {
    name: "conditions ask in the name of nobody in particular",
    file: "pkg/apiserver/admission/matching/circumstances.ts",
    find: "const user = serviceAccount === undefined ? attributes.user : accountUser(serviceAccount);",
    replace:
      "const user = serviceAccount === undefined ? attributes.user : { ...attributes.user, ...accountUser(serviceAccount), groups: attributes.user.groups };",
    tests: matching,
  },
  {
    name: "conditions see the object in the version of the request",
    file: `${room}/webhook-admission.ts`,
    find: "      await objects.show(served);\n      if (!(await meetsConditions(webhook, { attributes, served, objects, rbac }))) continue;\n      calls",
    replace:
      "      if (!(await meetsConditions(webhook, { attributes, served, objects, rbac }))) continue;\n      await objects.show(served);\n      calls",
    tests: matching,
  },
  {
    name: "the server asks about its own writes",
    file: "pkg/apiserver/server/internal-call.ts",
    find: "{ ...parts, admission: withinOf(parts.admission) },",
    replace: "{ ...parts, admission: withinOf({ ...parts.admission, within: parts.admission }) },",
    tests: local,
  },
  {
    name: "endpoints that are not ready are asked",
    file: "pkg/apiserver/webhook-client/service-endpoint.ts",
    find: "conditions?.ready !== false);",
    replace: "conditions !== null);",
    tests: local,
  },
];

const converting: readonly Mutant[] = [
  {
    name: "defaults of the version that is read are filled in after a conversion",
    file: "pkg/apiserver/crd/custom-conversion.ts",
    find: "  pruneUnknown(draft, schema);\n  return deepFreeze(draft)",
    replace: "  pruneUnknown(draft, schema);\n  applyDefaults(draft, schema);\n  return deepFreeze(draft)",
    tests: conversion,
  },
  {
    name: "a converter may leave what the schema does not know",
    file: "pkg/apiserver/crd/custom-conversion.ts",
    find: "  pruneUnknown(draft, schema);\n  return deepFreeze(draft)",
    replace: "  if (schema === undefined) pruneUnknown(draft, schema);\n  return deepFreeze(draft)",
    tests: conversion,
  },
  {
    name: "a converter changes the whole of the metadata",
    file: "pkg/apiserver/crd/conversion-review.ts",
    find: "const metadata = copyJson(old);",
    replace: "const metadata = { ...copyJson(old), ...given };",
    tests: conversion,
  },
  {
    name: "a read shows what was once converted",
    file: "pkg/apiserver/crd/custom-conversion.ts",
    find: "if (!isForeign(stored)) return whole;",
    replace:
      "const known = read.get(stored);\n        if (known !== undefined || !isForeign(stored)) return known ?? whole;",
    tests: conversion,
  },
  {
    name: "a watch in another version tells what comes as it is stored",
    file: "pkg/apiserver/server/watch.ts",
    find: "      if (inOrder === undefined) tell(event);",
    replace: "      if (inOrder !== null) tell(event);",
    tests: conversion,
  },
  {
    name: "lists go on at states that are long gone",
    file: "pkg/apiserver/storage/store.ts",
    find: "const floor = Math.max(bucket.floor, this.#tooOld());",
    replace: "const floor = Math.max(bucket.floor, 0 * this.#tooOld());",
    tests: ["pkg/apiserver/storage/store.test.ts"],
  },
];

export const webhookMutants: readonly Mutant[] = [...asking, ...telling, ...choosing, ...converting];
