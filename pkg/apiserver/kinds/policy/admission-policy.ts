import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { Json } from "../../../api/json.ts";
import { child, descend, items, setDefault, text } from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

function setMatchDefaults(match: Json | undefined): void {
  if (match === undefined) return;
  setDefault(match, "matchPolicy", "Equivalent");
  setDefault(match, "namespaceSelector", {});
  setDefault(match, "objectSelector", {});
  for (const key of ["resourceRules", "excludeResourceRules"]) {
    for (const rule of items(match, key)) setDefault(rule, "scope", "*");
  }
}

function setWebhookDefaults(draft: Draft, mutating: boolean): void {
  for (const webhook of items(draft, "webhooks")) {
    setDefault(webhook, "failurePolicy", "Fail");
    setDefault(webhook, "matchPolicy", "Equivalent");
    setDefault(webhook, "namespaceSelector", {});
    setDefault(webhook, "objectSelector", {});
    setDefault(webhook, "timeoutSeconds", 10);
    if (mutating) setDefault(webhook, "reinvocationPolicy", "Never");
    for (const rule of items(webhook, "rules")) setDefault(rule, "scope", "*");
    const service = descend(webhook, "clientConfig", "service");
    if (service !== undefined) setDefault(service, "port", 443);
  }
}

function webhookRules(mutating: boolean): KindSpec {
  return {
    generation: true,
    unconditionalUpdate: false,
    setDefaults: (draft) => setWebhookDefaults(draft, mutating),
    validate(draft, errors) {
      for (const [index, webhook] of items(draft, "webhooks").entries()) {
        if (text(webhook, "name") === "") errors.required(`webhooks[${index}].name`);
      }
    },
    columns: [
      nameColumn,
      column("Webhooks", (object) => items(object, "webhooks").length, { type: "integer" }),
      ageColumn,
    ],
  };
}

function paramKindCell(policy: Json): string {
  const kind = descend(policy, "spec", "paramKind");
  return kind === undefined ? "<unset>" : `${text(kind, "apiVersion")}/${text(kind, "kind")}`;
}

const policyRules: KindSpec = {
  generation: true,
  unconditionalUpdate: false,
  statusKeepsMetadata: "all",
  setDefaults(draft) {
    const spec = specOf(draft);
    setDefault(spec, "failurePolicy", "Fail");
    setMatchDefaults(child(spec, "matchConstraints"));
  },
  validate(draft, errors) {
    const spec = specOf(draft);
    if (items(spec, "validations").length + items(spec, "auditAnnotations").length === 0) {
      errors.required("spec.validations", "validations or auditAnnotations must contain at least one item");
    }
    if (child(spec, "matchConstraints") === undefined) errors.required("spec.matchConstraints");
    else if (items(child(spec, "matchConstraints"), "resourceRules").length === 0) {
      errors.required("spec.matchConstraints.resourceRules");
    }
  },
  columns: [
    nameColumn,
    column("Validations", (policy) => items(child(policy, "spec"), "validations").length, {
      type: "integer",
    }),
    column("ParamKind", paramKindCell),
    ageColumn,
  ],
};

const bindingRules: KindSpec = {
  generation: true,
  unconditionalUpdate: false,
  setDefaults: (draft) => setMatchDefaults(child(specOf(draft), "matchResources")),
  validate(draft, errors) {
    if (text(specOf(draft), "policyName") === "") errors.required("spec.policyName");
  },
  columns: [
    nameColumn,
    column("PolicyName", (binding) => text(child(binding, "spec"), "policyName")),
    column("ParamRef", (binding) => {
      const reference = descend(binding, "spec", "paramRef");
      const name = text(reference, "name");
      return name === "" ? "<unset>" : `${text(reference, "namespace") || "*"}/${name}`;
    }),
    ageColumn,
  ],
};

export const admissionPolicyKinds = [
  defineKind(resources.validatingAdmissionPolicies, policyRules),
  defineKind(resources.validatingAdmissionPolicyBindings, bindingRules),
  defineKind(resources.validatingWebhookConfigurations, webhookRules(false)),
  defineKind(resources.mutatingWebhookConfigurations, webhookRules(true)),
];
