import type { Mutant } from "./mutant.ts";

const CRD = ["pkg/crd/define-crd.test.ts"];
const SCHEMAS = ["pkg/crd/structural-schema.test.ts"];
const INSTALLED = ["test/integration/operators/definitions.test.ts"];
const REVIEWS = ["pkg/webhook/webhook.test.ts"];
const CERTIFICATES = ["pkg/webhook/shared-authority.test.ts"];
const SERVED = ["test/integration/operators/webhooks.test.ts"];
const PRINTED = ["test/integration/operators/manifests.test.ts"];

/** Custom resources and webhooks of authors. */
export const customResourcesMutants: readonly Mutant[] = [
  {
    name: "defaults are not held to rules",
    file: "pkg/apiserver/crd/rules/default-rules.ts",
    find: "problems.length > 0 ? problems : validateDefaultByRules(given, schema, place)",
    replace: "problems",
    tests: ["test/integration/api/definitions/rules.test.ts"],
  },
  {
    name: "a definition is not checked until its manifest is wanted",
    file: "pkg/crd/define-crd.ts",
    find: "  manifestOf(base, [version, ...others], { conversionWebhook: SOMEWHERE });\n",
    replace: "",
    tests: CRD,
  },
  {
    name: "defaults within defaults are left to the server",
    file: "pkg/crd/structural-schema.ts",
    find: "  complete(made);\n",
    replace: "",
    tests: CRD,
  },
  {
    name: "types are written into conditions",
    file: "pkg/crd/structural-schema.ts",
    find: "isCondition ? FORMS_OF_CONDITIONS : FORMS",
    replace: "FORMS",
    tests: SCHEMAS,
  },
  {
    name: "a definition that is going away counts as installed",
    file: "pkg/crd/install-crds.ts",
    find: "if (metadata.deletionTimestamp !== undefined) {",
    replace: 'if (metadata.deletionTimestamp === "") {',
    tests: INSTALLED,
  },
  {
    name: "an object can be changed in place",
    file: "pkg/webhook/answer-admission.ts",
    find: "deepFreeze(value) as unknown as ApiObject",
    replace: "value as unknown as ApiObject",
    tests: REVIEWS,
  },
  {
    name: "a webhook that validates answers a patch",
    file: "pkg/webhook/answer-admission.ts",
    find: "asking.isMutating && patchOf",
    replace: "patchOf",
    tests: REVIEWS,
  },
  {
    name: "the former authority is forgotten at once",
    file: "pkg/webhook/shared-authority.ts",
    find: "return isTrusted ? current + former : current;",
    replace: "return current;",
    tests: CERTIFICATES,
  },
  {
    name: "a race for the Secret is lost",
    file: "pkg/webhook/shared-authority.ts",
    find: "if (!isRace || attempt === ATTEMPTS) throw error;",
    replace: "if (isRace || attempt === ATTEMPTS) throw error;",
    tests: CERTIFICATES,
  },
  {
    name: "a certificate of a new authority is shown before anybody can know it",
    file: "pkg/webhook/serving-certificate.ts",
    find: "if (this.#clock.monotonicMs() - this.#newsMs < NEWS_MS) return undefined;",
    replace: "",
    tests: CERTIFICATES,
  },
  {
    name: "certificates are not put into configurations",
    file: "pkg/webhook/inject-authorities.ts",
    find: "if (body.length > 0) await objects.patch",
    replace: "if (body.length > 9) await objects.patch",
    tests: SERVED,
  },
  {
    name: "who watches what it writes may not delete it",
    file: "cmd/kcm/manifests/permissions.ts",
    find: 'if (isWritten && given.has("watch") && !isOwn)',
    replace: "if (false)",
    tests: PRINTED,
  },
];
