import {
  child,
  descend,
  items,
  optionalText,
  int64,
  type Json,
  present,
  setDefault,
  strings,
  text,
} from "../../../api/json.ts";
import { dns1035LabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { portNumber } from "../formats.ts";
import type { Draft } from "../kind.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import { FAILURE_POLICIES, MATCH_POLICIES, validateMatchConditions, validateRule } from "./match-rules.ts";
import { repeatedPlaces } from "../repeated.ts";

const SIDE_EFFECTS = ["None", "NoneOnDryRun"];
const REVIEW_VERSIONS = ["v1", "v1beta1"];
export const REINVOCATION_POLICIES = ["IfNeeded", "Never"];

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
    setDefaults: (draft) => setWebhookDefaults(draft, mutating),
    validate(draft, errors) {
      const webhooks = items(draft, "webhooks");
      const names = webhooks.map((webhook) => text(webhook, "name"));
      const repeated = repeatedPlaces(names);
      for (const [index, webhook] of webhooks.entries()) {
        const path = `webhooks[${index}]`;
        validateWebhook(webhook, path, errors);
        validateReviewVersions(
          strings(webhook, "admissionReviewVersions"),
          `${path}.admissionReviewVersions`,
          errors,
        );
        const name = names[index] ?? "";
        if (name !== "" && repeated.has(index)) errors.duplicate(`${path}.name`, name);
      }
    },
    columns: [
      nameColumn,
      column("Webhooks", (object) => items(object, "webhooks").length, { type: "integer" }),
      ageColumn,
    ],
  };
}

function validateWebhook(webhook: Json, path: string, errors: FieldErrors): void {
  validateFullName(text(webhook, "name"), `${path}.name`, errors);
  for (const [index, rule] of items(webhook, "rules").entries())
    validateRule(rule, `${path}.rules[${index}]`, errors);
  supported(webhook, "failurePolicy", FAILURE_POLICIES, { path, errors });
  supported(webhook, "matchPolicy", MATCH_POLICIES, { path, errors });
  if (!present(webhook, "sideEffects"))
    errors.required(`${path}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(", ")}`);
  supported(webhook, "sideEffects", SIDE_EFFECTS, { path, errors });
  const timeout = int64(webhook, "timeoutSeconds");
  if (timeout !== undefined && (timeout < 1 || timeout > 30))
    errors.invalid(`${path}.timeoutSeconds`, timeout, "the timeout value must be between 1 and 30 seconds");
  for (const key of ["namespaceSelector", "objectSelector"])
    validateLabelSelector(child(webhook, key), `${path}.${key}`, errors);
  supported(webhook, "reinvocationPolicy", REINVOCATION_POLICIES, { path, errors });
  validateClientConfig(child(webhook, "clientConfig"), `${path}.clientConfig`, errors);
  validateMatchConditions(items(webhook, "matchConditions"), `${path}.matchConditions`, errors);
}

interface Place {
  readonly path: string;
  readonly errors: FieldErrors;
}

function supported(of: Json, key: string, values: readonly string[], { path, errors }: Place): void {
  const value = optionalText(of, key);
  if (value !== undefined && !values.includes(value)) errors.notSupported(`${path}.${key}`, value, values);
}

function validateFullName(name: string, path: string, errors: FieldErrors): void {
  const problems = dnsSubdomainProblems(name);
  if (name === "") errors.required(path);
  else if (problems.length > 0) errors.invalid(path, name, problems.join(","));
  else if (name.split(".").length < 3)
    errors.invalid(path, name, "should be a domain with at least three segments separated by dots");
}

function validateReviewVersions(versions: readonly string[], path: string, errors: FieldErrors): void {
  if (versions.length === 0) {
    errors.required(path, `must specify one of ${REVIEW_VERSIONS.join(", ")}`);
    return;
  }
  const repeated = repeatedPlaces(versions);
  for (const [index, version] of versions.entries()) {
    if (repeated.has(index)) errors.invalid(`${path}[${index}]`, version, "duplicate version");
    else errors.invalidEach(`${path}[${index}]`, version, dns1035LabelProblems(version));
  }
  if (!versions.some((version) => REVIEW_VERSIONS.includes(version)))
    errors.invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(", ")}`);
}

function validateClientConfig(config: Json | undefined, path: string, errors: FieldErrors): void {
  const url = optionalText(config, "url");
  const service = child(config, "service");
  if ((url === undefined) === (service === undefined))
    errors.required(path, "exactly one of url or service is required");
  else if (url !== undefined) validateUrl(url, `${path}.url`, errors);
  else validateService(service, `${path}.service`, errors);
}

function validateUrl(text: string, path: string, errors: FieldErrors): void {
  const form = "; desired format: https://host[/path]";
  const [, scheme = "", authority = "", query, fragment] =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(text) ?? [];
  if (scheme.toLowerCase() !== "https")
    errors.invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`);
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  if (host === "") errors.invalid(path, host, `host must be specified${form}`);
  if (at >= 0) errors.invalid(path, authority.slice(0, at), "user information is not permitted in the URL");
  if (fragment !== undefined && fragment !== "")
    errors.invalid(path, fragment, "fragments are not permitted in the URL");
  if (query !== undefined && query !== "")
    errors.invalid(path, query, "query parameters are not permitted in the URL");
}

function validateService(service: Json | undefined, path: string, errors: FieldErrors): void {
  // upstream: webhook.ValidateWebhookService takes the namespace first and is called with the name first.
  if (text(service, "namespace") === "") errors.required(`${path}.name`);
  if (text(service, "name") === "") errors.required(`${path}.namespace`);
  const port = int64(service, "port") ?? 443;
  const problems = portNumber(Number(port));
  if (problems.length > 0) errors.invalid(`${path}.port`, port, `port is not valid: ${problems.join(", ")}`);
  const given = optionalText(service, "path");
  if (given !== undefined) validatePath(given, `${path}.path`, errors);
}

function validatePath(given: string, path: string, errors: FieldErrors): void {
  if (given === "/" || given === "") return;
  if (given === "//") {
    errors.invalid(path, given, "segment[0] may not be empty");
    return;
  }
  if (!given.startsWith("/")) errors.invalid(path, given, "must start with a '/'");
  for (const [index, segment] of given.slice(1).replace(/\/$/, "").split("/").entries()) {
    if (segment === "") errors.invalid(path, given, `segment[${index}] may not be empty`);
    else
      for (const problem of dnsSubdomainProblems(segment))
        errors.invalid(path, given, `segment[${index}]: ${problem}`);
  }
}

export const webhookKinds = [
  defineKind(resources.validatingWebhookConfigurations, webhookRules(false)),
  defineKind(resources.mutatingWebhookConfigurations, webhookRules(true)),
];
