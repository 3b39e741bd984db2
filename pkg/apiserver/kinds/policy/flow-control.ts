import { child, count, flag, int64, items, type Json, setDefault, strings, text } from "../../../api/json.ts";
import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, type KindSpec, specOf } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];
const MOST_PRECEDENCE = 10_000;
const MOST_QUEUES = 10_000_000;
const HASH_BITS = 60;

const schemaRules: KindSpec = {
  setDefaults(draft) {
    const spec = specOf(draft);
    if (count(spec, "matchingPrecedence") === 0) spec["matchingPrecedence"] = 1000;
  },
  validate(draft, errors) {
    const spec = specOf(draft);
    validatePrecedence(spec, text(draft.metadata, "name"), errors);
    const method = child(spec, "distinguisherMethod");
    if (method !== undefined && !["ByNamespace", "ByUser"].includes(text(method, "type")))
      errors.notSupported("spec.distinguisherMethod.type", method, ["ByNamespace", "ByUser"]);
    const level = text(child(spec, "priorityLevelConfiguration"), "name");
    const path = "spec.priorityLevelConfiguration.name";
    if (level === "") errors.required(path, "must reference a priority level");
    else errors.invalidEach(path, level, dnsSubdomainProblems(level));
    for (const [index, rule] of items(spec, "rules").entries())
      validateRules(rule, `spec.rules[${index}]`, errors);
  },
  columns: [
    nameColumn,
    column("PriorityLevel", (schema) =>
      text(child(child(schema, "spec"), "priorityLevelConfiguration"), "name"),
    ),
    column("MatchingPrecedence", (schema) => count(child(schema, "spec"), "matchingPrecedence")),
    column("DistinguisherMethod", (schema) => {
      const method = child(child(schema, "spec"), "distinguisherMethod");
      return method === undefined ? "<none>" : text(method, "type");
    }),
    ageColumn,
    column("MissingPL", (schema) => {
      const dangling = items(child(schema, "status"), "conditions").find(
        (one) => text(one, "type") === "Dangling",
      );
      return dangling === undefined ? "?" : text(dangling, "status");
    }),
  ],
};

function validatePrecedence(spec: Json, name: string, errors: FieldErrors): void {
  const path = "spec.matchingPrecedence";
  const precedence = count(spec, "matchingPrecedence");
  if (precedence <= 0) errors.invalid(path, precedence, "must be a positive value");
  if (precedence > MOST_PRECEDENCE)
    errors.invalid(path, precedence, `must not be greater than ${MOST_PRECEDENCE}`);
  if (precedence === 1 && name !== "exempt")
    errors.invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
}

function validateRules(rule: Json, path: string, errors: FieldErrors): void {
  const subjects = items(rule, "subjects");
  if (subjects.length === 0) errors.required(`${path}.subjects`, "subjects must contain at least one value");
  for (const [index, subject] of subjects.entries())
    validateSubject(subject, `${path}.subjects[${index}]`, errors);
  const [ofResources, others] = [items(rule, "resourceRules"), items(rule, "nonResourceRules")];
  if (ofResources.length + others.length === 0)
    errors.required(path, "at least one of resourceRules and nonResourceRules has to be non-empty");
  for (const [index, one] of ofResources.entries())
    validateResourceRule(one, `${path}.resourceRules[${index}]`, errors);
  for (const [index, one] of others.entries())
    validatePathRule(one, `${path}.nonResourceRules[${index}]`, errors);
}

/** Each kind of subject, and the field that tells of it. */
const subjectFields = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;
const subjectKinds = Object.entries(subjectFields);

function validateSubject(subject: Json, path: string, errors: FieldErrors): void {
  const kind = text(subject, "kind");
  const own = subjectKinds.find(([name]) => name === kind)?.[1];
  if (own === undefined) {
    errors.notSupported(`${path}.kind`, kind, ["Group", "ServiceAccount", "User"]);
    return;
  }
  const described = child(subject, own);
  if (described === undefined)
    errors.required(`${path}.${own}`, `${own} is required when subject kind is '${kind}'`);
  else validateDescribed(described, own, `${path}.${own}`, errors);
  for (const [name, field] of subjectKinds) {
    if (field !== own && child(subject, field) !== undefined)
      errors.forbidden(`${path}.${field}`, `${field} is forbidden when subject kind is not '${name}'`);
  }
}

function validateDescribed(described: Json, field: string, path: string, errors: FieldErrors): void {
  const name = text(described, "name");
  if (name === "") errors.required(`${path}.name`);
  if (field !== "serviceAccount") return;
  if (name !== "" && name !== "*") errors.invalidEach(`${path}.name`, name, dnsSubdomainProblems(name));
  const namespace = text(described, "namespace");
  if (namespace === "") errors.required(`${path}.namespace`, "must specify namespace for service account");
  else errors.invalidEach(`${path}.namespace`, namespace, dnsLabelProblems(namespace));
}

function validateVerbs(verbs: readonly string[], path: string, errors: FieldErrors): void {
  if (verbs.length === 0) errors.required(path, "verbs must contain at least one value");
  else if (verbs.includes("*")) requireLonely(verbs, path, "verbs", errors);
  else if (!verbs.every((verb) => VERBS.includes(verb))) errors.notSupported(path, verbs, VERBS);
}

function requireLonely(values: readonly string[], path: string, what: string, errors: FieldErrors): void {
  if (values.length > 1 && values.includes("*"))
    errors.invalid(path, values, `if '*' is present, must not specify other ${what}`);
}

function validateResourceRule(rule: Json, path: string, errors: FieldErrors): void {
  validateVerbs(strings(rule, "verbs"), `${path}.verbs`, errors);
  const groups = strings(rule, "apiGroups");
  if (groups.length === 0)
    errors.required(`${path}.apiGroups`, "resource rules must supply at least one api group");
  requireLonely(groups, `${path}.apiGroups`, "api groups", errors);
  const plurals = strings(rule, "resources");
  if (plurals.length === 0)
    errors.required(`${path}.resources`, "resource rules must supply at least one resource");
  requireLonely(plurals, `${path}.resources`, "resources", errors);
  const namespaces = strings(rule, "namespaces");
  const at = `${path}.namespaces`;
  if (namespaces.length === 0 && !flag(rule, "clusterScope"))
    errors.required(at, "resource rules that are not cluster scoped must supply at least one namespace");
  else if (namespaces.includes("*")) requireLonely(namespaces, at, "namespaces", errors);
  else
    for (const [index, namespace] of namespaces.entries())
      for (const problem of dnsLabelProblems(namespace))
        errors.invalid(
          `${at}[${index}]`,
          namespace,
          `each member of this list must be '*' or a DNS-1123 label; ${problem}`,
        );
}

function validatePathRule(rule: Json, path: string, errors: FieldErrors): void {
  validateVerbs(strings(rule, "verbs"), `${path}.verbs`, errors);
  const urls = strings(rule, "nonResourceURLs");
  const at = `${path}.nonResourceURLs`;
  if (urls.length === 0) errors.required(at, "nonResourceURLs must contain at least one value");
  else if (urls.includes("*")) requireLonely(urls, at, "non-resource URLs", errors);
  else
    for (const [index, url] of urls.entries()) {
      const problem = pathProblem(url);
      if (problem !== undefined) errors.invalid(`${at}[${index}]`, url, problem);
    }
}

function pathProblem(url: string): string | undefined {
  if (url === "") return "must not be empty";
  if (url === "/") return undefined;
  if (!url.startsWith("/")) return "must start with slash";
  if (url.includes(" ")) return "must not contain white-space";
  if (url.includes("//")) return "must not contain double slash";
  const wildcards = url.split("*").length - 1;
  return wildcards > 1 || (wildcards === 1 && !url.endsWith("/*"))
    ? "wildcard can only do suffix matching"
    : undefined;
}

const levelRules: KindSpec = {
  setDefaults(draft) {
    const spec = specOf(draft);
    const [exempt, limited] = [child(spec, "exempt"), child(spec, "limited")];
    if (exempt !== undefined) {
      setDefault(exempt, "nominalConcurrencyShares", 0);
      setDefault(exempt, "lendablePercent", 0);
    }
    if (limited === undefined) return;
    setDefault(limited, "nominalConcurrencyShares", 30);
    setDefault(limited, "lendablePercent", 0);
    const queuing = child(child(limited, "limitResponse"), "queuing");
    if (queuing === undefined) return;
    for (const [key, value] of Object.entries({ handSize: 8, queues: 64, queueLengthLimit: 50 }))
      if (count(queuing, key) === 0) queuing[key] = value;
  },
  validate(draft, errors) {
    const spec = specOf(draft);
    const type = text(spec, "type");
    if ((text(draft.metadata, "name") === "exempt") !== (type === "Exempt"))
      errors.invalid("spec.type", type, "must be 'Exempt' if and only if `name` is 'exempt'");
    const [exempt, limited] = [child(spec, "exempt"), child(spec, "limited")];
    if (type === "Exempt") {
      if (limited !== undefined) errors.forbidden("spec.limited", "must be nil if the type is not Limited");
      if (exempt !== undefined) validateShares(exempt, "spec.exempt", errors);
    } else if (type === "Limited") {
      if (exempt !== undefined) errors.forbidden("spec.exempt", "must be nil if the type is Limited");
      if (limited === undefined) errors.required("spec.limited", "must not be empty when type is Limited");
      else validateLimited(limited, errors);
    } else errors.oneOf("spec.type", type, ["Exempt", "Limited"]);
  },
  columns: [
    nameColumn,
    column("Type", (level) => text(child(level, "spec"), "type")),
    column("NominalConcurrencyShares", (level) => {
      const limited = child(child(level, "spec"), "limited");
      return int64(limited, "nominalConcurrencyShares") ?? "<none>";
    }),
    column("Queues", (level) => queueCell(level, "queues")),
    column("HandSize", (level) => queueCell(level, "handSize")),
    column("QueueLengthLimit", (level) => queueCell(level, "queueLengthLimit")),
    ageColumn,
  ],
};

function queueCell(level: Json, key: string): string | number {
  const limited = child(child(level, "spec"), "limited");
  const queuing = child(child(limited, "limitResponse"), "queuing");
  return queuing === undefined ? "<none>" : count(queuing, key);
}

function validateShares(of: Json, path: string, errors: FieldErrors): void {
  const shares = int64(of, "nominalConcurrencyShares") ?? 0;
  if (shares < 0)
    errors.invalid(`${path}.nominalConcurrencyShares`, shares, "must be a non-negative integer");
  const lendable = int64(of, "lendablePercent") ?? 0;
  if (lendable < 0 || lendable > 100)
    errors.invalid(`${path}.lendablePercent`, lendable, "must be between 0 and 100, inclusive");
}

function validateLimited(limited: Json, errors: FieldErrors): void {
  validateShares(limited, "spec.limited", errors);
  const borrowing = int64(limited, "borrowingLimitPercent") ?? 0;
  if (borrowing < 0)
    errors.invalid(
      "spec.limited.borrowingLimitPercent",
      borrowing,
      "if specified, must be a non-negative integer",
    );
  const response = child(limited, "limitResponse");
  const path = "spec.limited.limitResponse";
  const queuing = child(response, "queuing");
  const type = text(response, "type");
  if (type === "Reject") {
    if (queuing !== undefined)
      errors.forbidden(`${path}.queuing`, "must be nil if limited.limitResponse.type is not Limited");
  } else if (type === "Queue") {
    if (queuing === undefined)
      errors.required(`${path}.queuing`, "must not be empty if limited.limitResponse.type is Limited");
    else validateQueuing(queuing, `${path}.queuing`, errors);
  } else errors.oneOf(`${path}.type`, type, ["Queue", "Reject"]);
}

function validateQueuing(queuing: Json, path: string, errors: FieldErrors): void {
  const [length, queues, hand] = ["queueLengthLimit", "queues", "handSize"].map((key) =>
    count(queuing, key),
  ) as [number, number, number];
  if (length <= 0) errors.invalid(`${path}.queueLengthLimit`, length, "must be positive");
  if (queues <= 0) errors.invalid(`${path}.queues`, queues, "must be positive");
  else if (queues > MOST_QUEUES)
    errors.invalid(`${path}.queues`, queues, `must not be greater than ${MOST_QUEUES}`);
  const field = `${path}.handSize`;
  if (hand <= 0) errors.invalid(field, hand, "must be positive");
  else if (hand > queues) errors.invalid(field, hand, `should not be greater than queues (${queues})`);
  else if (Math.ceil(Math.log2(queues) * hand) > HASH_BITS)
    errors.invalid(
      field,
      hand,
      `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${HASH_BITS}`,
    );
}

export const flowControlKinds = [
  defineKind(resources.flowSchemas, schemaRules),
  defineKind(resources.priorityLevelConfigurations, levelRules),
];
