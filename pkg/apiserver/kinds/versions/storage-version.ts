import { child, items, type Json, optionalText, strings, text } from "../../../api/json.ts";
import { labelKeyProblems } from "../../../api/labels-validate.ts";
import { dns1035LabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { regexMessage } from "../formats.ts";
import type { KindRules } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

const VERSION_FORMAT = "[a-z]([-a-z0-9]*[a-z0-9])?";
const VERSION_MESSAGE =
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";

const statusOf = (object: Json): Json | undefined => child(object, "status");
const reportsOf = (object: Json): readonly Json[] => items(statusOf(object), "storageVersions");

/** A name is a group and a resource: the group may be "core", and never be missing. */
function nameProblems(name: string): readonly string[] {
  const dot = name.lastIndexOf(".");
  if (dot < 0) return ["name must be in the form of <group>.<resource>"];
  return [
    ...dnsSubdomainProblems(name.slice(0, dot)).map((problem) => `the group segment ${problem}`),
    ...dns1035LabelProblems(name.slice(dot + 1)).map((problem) => `the resource segment ${problem}`),
  ];
}

/** upstream: pkg/apis/apiserverinternal/validation/validation.go#isValidAPIVersion */
function apiVersionProblems(apiVersion: string): readonly string[] {
  const parts = apiVersion.split("/");
  if (parts.length > 2) {
    const message = regexMessage(VERSION_MESSAGE, VERSION_FORMAT, "my-name", "abc-123");
    return [
      `an apiVersion is ${message} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`,
    ];
  }
  const [version = "", group] = parts.toReversed();
  const ofGroup = group === undefined ? [] : partProblems(group, "group", dnsSubdomainProblems);
  return [...ofGroup, ...partProblems(version, "version", dns1035LabelProblems)];
}

function partProblems(
  part: string,
  name: string,
  problemsOf: (part: string) => readonly string[],
): readonly string[] {
  const problems = part === "" ? ["must be non-empty"] : problemsOf(part);
  return problems.map((problem) => `${name} part: ${problem}`);
}

function refuseApiVersion(path: string, apiVersion: string, errors: FieldErrors): void {
  const problems = apiVersionProblems(apiVersion);
  if (problems.length > 0) errors.invalid(path, apiVersion, problems.join(","));
}

/** upstream: validateServerStorageVersion */
function validateReport(report: Json, path: string, errors: FieldErrors): void {
  const server = text(report, "apiServerID");
  const encoding = text(report, "encodingVersion");
  const decodable = strings(report, "decodableVersions");
  errors.invalidEach(`${path}.apiServerID`, server, dnsSubdomainProblems(server));
  refuseApiVersion(`${path}.encodingVersion`, encoding, errors);
  for (const [index, version] of decodable.entries())
    refuseApiVersion(`${path}.decodableVersions[${index}]`, version, errors);
  if (!decodable.includes(encoding))
    errors.invalid(
      `${path}.decodableVersions`,
      report["decodableVersions"] ?? null,
      `decodableVersions must include encodingVersion ${encoding}`,
    );
  const known = new Set(decodable);
  for (const [index, version] of strings(report, "servedVersions").entries()) {
    const at = `${path}.servedVersions[${index}]`;
    refuseApiVersion(at, version, errors);
    if (!known.has(version))
      errors.invalid(
        at,
        version,
        `individual served version : ${version} must be included in decodableVersions : [${decodable.join(" ")}]`,
      );
  }
}

/** What all servers encode to, as they report it; undefined where they differ or there are none. */
function commonVersionOf(object: Json): string | undefined {
  const versions = new Set(reportsOf(object).map((report) => text(report, "encodingVersion")));
  return versions.size === 1 ? [...versions][0] : undefined;
}

function validateCommonVersion(object: Json, errors: FieldErrors): void {
  const path = "status.commonEncodingVersion";
  const actual = commonVersionOf(object);
  const given = optionalText(statusOf(object), "commonEncodingVersion");
  if (actual === given) return;
  if (actual === undefined)
    errors.invalid(
      path,
      given,
      "should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet",
    );
  else if (given === undefined) errors.invalid(path, null, `the common encoding version is ${actual}`);
  else errors.invalid(path, given, `the actual common encoding version is ${actual}`);
}

/** upstream: validateStorageVersionCondition, whose paths lack the name of the list */
function validateConditions(object: Json, errors: FieldErrors): void {
  const seen = new Map<string, number>();
  for (const [index, condition] of items(statusOf(object), "conditions").entries()) {
    const at = `status[${index}]`;
    const [type, status] = [text(condition, "type"), text(condition, "status")];
    const same = seen.get(type);
    if (same !== undefined)
      errors.invalid(
        `${at}.type`,
        type,
        `the type of the condition is not unique, it also appears in conditions[${same}]`,
      );
    seen.set(type, index);
    errors.invalidEach(`${at}.type`, type, labelKeyProblems(type));
    errors.invalidEach(`${at}.status`, status, labelKeyProblems(status));
    for (const key of ["reason", "message"]) if (text(condition, key) === "") errors.required(`${at}.${key}`);
  }
}

/** upstream: validateStorageVersionStatus */
function validateStatus(object: Json, errors: FieldErrors): void {
  const servers = new Set<string>();
  for (const [index, report] of reportsOf(object).entries()) {
    const path = `status.storageVersions[${index}]`;
    const server = text(report, "apiServerID");
    if (servers.has(server)) errors.duplicate(`${path}.apiServerID`, server);
    servers.add(server);
    validateReport(report, path, errors);
  }
  validateCommonVersion(object, errors);
  validateConditions(object, errors);
}

/** The first three, and how many there are beyond them. */
function reportsCell(object: Json): string {
  const reports = reportsOf(object);
  const first = reports
    .slice(0, 3)
    .map((report) => `${text(report, "apiServerID")}=${text(report, "encodingVersion")}`)
    .join(",");
  return reports.length > 3 ? `${first} + ${reports.length - 3} more...` : first || "<unset>";
}

/** Served where servers are told to. */
export const storageVersionKinds: readonly KindRules[] = [
  {
    ...defineKind(resources.storageVersions, {
      nameFormat: "pathSegment",
      statusKeepsMetadata: "all",
      validate(draft, errors) {
        const name = text(draft.metadata, "name");
        if (name !== "") errors.invalidEach("metadata.name", name, nameProblems(name));
      },
      // The spec is empty: there is nothing that could be wrong.
      validateUpdate: () => undefined,
      validateStatus: (draft, _before, errors) => validateStatus(draft, errors),
      columns: [
        nameColumn,
        column(
          "CommonEncodingVersion",
          (object) => optionalText(statusOf(object), "commonEncodingVersion") ?? "<unset>",
        ),
        column("StorageVersions", reportsCell),
        ageColumn,
      ],
    }),
    unconditionalUpdate: false,
    reset: { "": [["status"]], status: [["metadata"], ["spec"]] },
  },
];
