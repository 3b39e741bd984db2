import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { Json } from "../../../api/json.ts";
import {
  child,
  descend,
  items,
  optionalText,
  present,
  setDefault,
  strings,
  text,
} from "../../../api/json.ts";
import { labelKeyProblems } from "../../../api/labels-validate.ts";
import { dnsSubdomainProblems } from "../../../api/names.ts";
import type { FieldErrors } from "../field-errors.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import {
  FAILURE_POLICIES,
  validateMatchConditions,
  validateMatchResources,
  validateParamKind,
  validateParamRef,
} from "./match-rules.ts";
import { REINVOCATION_POLICIES } from "./webhook.ts";
import { repeatedPlaces } from "../repeated.ts";
import { type CompiledExpression, problemOf } from "../../admission/expressions/compiled-expression.ts";
import { PolicyCompiler } from "../../admission/expressions/policy-compiler.ts";
import { isIdentifier } from "./identifier.ts";

const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const ACTIONS = ["Audit", "Deny", "Warn"];
const MUTATING_OPERATIONS = ["*", "CONNECT", "CREATE", "UPDATE"];
const PATCH_TYPES = ["ApplyConfiguration", "JSONPatch"];

function setMatchDefaults(match: Json | undefined): void {
  if (match === undefined) return;
  setDefault(match, "matchPolicy", "Equivalent");
  setDefault(match, "namespaceSelector", {});
  setDefault(match, "objectSelector", {});
  for (const key of ["resourceRules", "excludeResourceRules"]) {
    for (const rule of items(match, key)) setDefault(rule, "scope", "*");
  }
}

function paramKindCell(policy: Json): string {
  const kind = descend(policy, "spec", "paramKind");
  return kind === undefined ? "<unset>" : `${text(kind, "apiVersion")}/${text(kind, "kind")}`;
}

/** What both sorts of policies say of the requests that they are about. */
function validateMatch(spec: Json, errors: FieldErrors): void {
  const policy = text(spec, "failurePolicy");
  if (!FAILURE_POLICIES.includes(policy)) errors.notSupported("spec.failurePolicy", policy, FAILURE_POLICIES);
  const paramKind = child(spec, "paramKind");
  if (paramKind !== undefined) validateParamKind(paramKind, "spec.paramKind", errors);
  const match = child(spec, "matchConstraints");
  if (match === undefined) errors.required("spec.matchConstraints");
  else {
    validateMatchResources(match, "spec.matchConstraints", errors);
    if (items(match, "resourceRules").length === 0) errors.required("spec.matchConstraints.resourceRules");
  }
}

function validateVariables(spec: Json, errors: FieldErrors): PolicyCompiler {
  const params = present(spec, "paramKind");
  validateMatchConditions(items(spec, "matchConditions"), "spec.matchConditions", errors, params);
  const compiler = new PolicyCompiler(params);
  for (const [index, variable] of items(spec, "variables").entries()) {
    const path = `spec.variables[${index}]`;
    const [name, expression] = [text(variable, "name"), text(variable, "expression")];
    if (name.trim() === "") errors.required(`${path}.name`, "name is not specified");
    else if (!isIdentifier(name)) errors.invalid(`${path}.name`, name, "must be a valid CEL identifier");
    if (expression.trim() === "") errors.required(`${path}.expression`, "expression is not specified");
    else tell(`${path}.expression`, compiler.variable(name, expression), errors);
  }
  return compiler;
}

function tell(
  path: string,
  expression: CompiledExpression,
  errors: FieldErrors,
  given = expression.text,
): void {
  const problem = problemOf(expression);
  if (problem !== undefined) errors.invalid(path, given, problem);
}

function validateValidation(
  validation: Json,
  path: string,
  compiler: PolicyCompiler,
  errors: FieldErrors,
): void {
  const expression = text(validation, "expression");
  if (expression.trim() === "") errors.required(`${path}.expression`, "expression is not specified");
  else tell(`${path}.expression`, compiler.condition(expression), errors);
  const byExpression = text(validation, "messageExpression");
  if (byExpression !== "" && byExpression.trim() === "")
    errors.invalid(`${path}.messageExpression`, byExpression, "must be non-empty if specified");
  else if (byExpression !== "") tell(`${path}.messageExpression`, compiler.message(byExpression), errors);
  const message = text(validation, "message");
  if (message !== "" && message.trim() === "")
    errors.invalid(`${path}.message`, message, "must be non-empty if specified");
  else if (/[\n\r]/.test(message.trim()))
    errors.invalid(`${path}.message`, message, "must not contain line breaks");
  const reason = optionalText(validation, "reason");
  if (reason !== undefined && !REASONS.includes(reason))
    errors.notSupported(`${path}.reason`, reason, REASONS);
}

function validateAnnotations(
  policy: string,
  annotations: readonly Json[],
  compiler: PolicyCompiler,
  errors: FieldErrors,
): void {
  const path = "spec.auditAnnotations";
  const keys = annotations.map((annotation) => text(annotation, "key"));
  if (annotations.length > 20)
    errors.invalid(path, annotations, "must not have more than 20 auditAnnotations");
  const repeated = repeatedPlaces(keys);
  for (const [index, annotation] of annotations.entries()) {
    const at = `${path}[${index}]`;
    const key = keys[index] ?? "";
    if (policy === "") errors.invalid(`${at}.key`, key, "requires metadata.name be non-empty");
    else errors.invalidEach(`${at}.key`, `${policy}/${key}`, labelKeyProblems(`${policy}/${key}`));
    const value = text(annotation, "valueExpression");
    if (value.trim() === "") errors.required(`${at}.valueExpression`, "valueExpression is not specified");
    else tell(`${at}.valueExpression`, compiler.auditAnnotation(value.trim()), errors, value);
    if (repeated.has(index)) errors.duplicate(`${at}.key`, key);
  }
}

/** What both sorts of policies have. */
const policyRules = {
  setDefaults(draft) {
    const spec = specOf(draft);
    setDefault(spec, "failurePolicy", "Fail");
    setMatchDefaults(child(spec, "matchConstraints"));
  },
} satisfies KindSpec;

const validatingRules: KindSpec = {
  ...policyRules,
  statusKeepsMetadata: "all",
  validate(draft, errors) {
    const spec = specOf(draft);
    validateMatch(spec, errors);
    const compiler = validateVariables(spec, errors);
    const validations = items(spec, "validations");
    const annotations = items(spec, "auditAnnotations");
    if (validations.length + annotations.length === 0) {
      const detail = "validations or auditAnnotations must contain at least one item";
      errors.required("spec.validations", detail);
      errors.required("spec.auditAnnotations", detail);
    }
    for (const [index, validation] of validations.entries())
      validateValidation(validation, `spec.validations[${index}]`, compiler, errors);
    validateAnnotations(text(draft.metadata, "name"), annotations, compiler, errors);
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

const mutatingRules: KindSpec = {
  ...policyRules,
  validate(draft, errors) {
    const spec = specOf(draft);
    validateMatch(spec, errors);
    for (const rule of items(child(spec, "matchConstraints"), "resourceRules")) {
      for (const operation of strings(rule, "operations")) {
        if (!MUTATING_OPERATIONS.includes(operation))
          errors.notSupported(
            "spec.matchConstraints.resourceRules.operations",
            operation,
            MUTATING_OPERATIONS,
          );
      }
    }
    const compiler = validateVariables(spec, errors);
    const mutations = items(spec, "mutations");
    if (mutations.length === 0) errors.required("spec.mutations", "mutations must contain at least one item");
    for (const [index, mutation] of mutations.entries())
      validateMutation(mutation, `spec.mutations[${index}]`, compiler, errors);
    errors.oneOf("spec.reinvocationPolicy", text(spec, "reinvocationPolicy"), REINVOCATION_POLICIES);
  },
  columns: [
    nameColumn,
    column("Mutations", (policy) => items(child(policy, "spec"), "mutations").length, { type: "integer" }),
    column("ParamKind", paramKindCell),
    ageColumn,
  ],
};

/** Each type of patch, and the field that holds it. */
const patchFields = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" } as const;

function validateMutation(mutation: Json, path: string, compiler: PolicyCompiler, errors: FieldErrors): void {
  const type = text(mutation, "patchType");
  if (type !== "ApplyConfiguration" && type !== "JSONPatch") {
    errors.oneOf(`${path}.patchType`, type, PATCH_TYPES);
    return;
  }
  const [own, other] = [
    patchFields[type],
    patchFields[type === "JSONPatch" ? "ApplyConfiguration" : "JSONPatch"],
  ];
  const patch = child(mutation, own);
  const expression = text(patch, "expression").trim();
  if (patch === undefined) errors.required(`${path}.${own}`, `must be specified when patchType is ${type}`);
  else if (expression === "") errors.required(`${path}.${own}.expression`);
  else tell(`${path}.${own}.expression`, compiler[own](expression), errors);
  if (present(mutation, other))
    errors.invalid(`${path}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`);
}

function validateActions(actions: readonly string[], errors: FieldErrors): void {
  const path = "spec.validationActions";
  const repeated = repeatedPlaces(actions);
  for (const [index, action] of actions.entries()) {
    if (!ACTIONS.includes(action)) errors.notSupported(`${path}[${index}]`, action, ACTIONS);
    if (repeated.has(index)) errors.duplicate(`${path}[${index}]`, action);
  }
  if (actions.includes("Deny") && actions.includes("Warn"))
    errors.invalid(
      path,
      actions,
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
    );
  if (actions.length === 0) errors.required(path, "at least one validation action is required");
}

function bindingRules(validating: boolean): KindSpec {
  return {
    setDefaults: (draft) => setMatchDefaults(child(specOf(draft), "matchResources")),
    validate(draft, errors) {
      const spec = specOf(draft);
      const policy = text(spec, "policyName");
      if (policy === "") errors.required("spec.policyName");
      else errors.invalidEach("spec.policyName", policy, dnsSubdomainProblems(policy));
      const paramRef = child(spec, "paramRef");
      if (paramRef !== undefined) validateParamRef(paramRef, "spec.paramRef", errors);
      const match = child(spec, "matchResources");
      if (match !== undefined) validateMatchResources(match, "spec.matchResources", errors);
      if (validating) validateActions(strings(spec, "validationActions"), errors);
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
}

export const admissionPolicyKinds = [
  defineKind(resources.validatingAdmissionPolicies, validatingRules),
  defineKind(resources.validatingAdmissionPolicyBindings, bindingRules(true)),
  defineKind(resources.mutatingAdmissionPolicies, mutatingRules),
  defineKind(resources.mutatingAdmissionPolicyBindings, bindingRules(false)),
];
