import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import { labelKeyProblems } from "../../../api/labels-validate.ts";
import type { FieldErrors } from "../field-errors.ts";
import { dataKey, environmentName } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import { child, items, present, text } from "../../../api/json.ts";

const fieldPaths = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const resourcePaths = ["cpu", "ephemeral-storage", "memory"].flatMap((name) => [
  `limits.${name}`,
  `requests.${name}`,
]);
const sources = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"] as const;

export function validateEnvironment(container: Json, path: string, errors: FieldErrors): void {
  for (const [index, variable] of items(container, "env").entries()) {
    const at = `${path}.env[${index}]`;
    const name = text(variable, "name");
    if (name === "") errors.required(`${at}.name`);
    else errors.invalidEach(`${at}.name`, name, environmentName(name));
    const source = child(variable, "valueFrom");
    if (source !== undefined) validateSource(source, text(variable, "value"), `${at}.valueFrom`, errors);
  }
  for (const [index, from] of items(container, "envFrom").entries()) {
    validateEnvironmentFrom(from, `${path}.envFrom`, index, errors);
  }
}

function validateSource(source: Json, value: string, path: string, errors: FieldErrors): void {
  const given = sources.filter((key) => present(source, key));
  for (const key of given) {
    const at = `${path}.${key}`;
    const reference = child(source, key) ?? {};
    if (key === "fieldRef") validateFieldReference(reference, fieldPaths, at, errors);
    else if (key === "resourceFieldRef") validateResourceReference(reference, false, at, errors);
    else if (key === "fileKeyRef") validateFileReference(reference, at, errors);
    else validateKeyReference(reference, at, errors);
  }
  if (given.length === 0) {
    errors.invalid(
      path,
      "",
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
    );
  } else if (value !== "") errors.invalid(path, "", "may not be specified when `value` is not empty");
  else if (given.length > 1) errors.invalid(path, "", "may not have more than one field specified at a time");
}

/** A reference to a field of the pod itself; `allowed` differs between environment and files. */
export function validateFieldReference(
  reference: Json,
  allowed: readonly string[],
  path: string,
  errors: FieldErrors,
): void {
  const apiVersion = text(reference, "apiVersion");
  const fieldPath = text(reference, "fieldPath");
  if (apiVersion === "") {
    errors.required(`${path}.apiVersion`);
    return;
  }
  if (fieldPath === "") {
    errors.required(`${path}.fieldPath`);
    return;
  }
  const subscripted = /^(.*)\['(.*)'\]$/s.exec(fieldPath);
  const base = subscripted?.[1] ?? fieldPath;
  const problem = conversionProblem(apiVersion, base, subscripted !== null);
  if (problem !== undefined) {
    errors.invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${problem}`);
  } else if (subscripted !== null) {
    const subscript = subscripted[2] ?? "";
    const key = base === "metadata.annotations" ? subscript.toLowerCase() : subscript;
    errors.invalidEach(path, key, labelKeyProblems(key));
  } else if (!allowed.includes(fieldPath)) {
    errors.notSupported(`${path}.fieldPath`, fieldPath, allowed.toSorted());
  }
}

function conversionProblem(apiVersion: string, base: string, subscripted: boolean): string | undefined {
  if (apiVersion !== "v1") return `unsupported pod version: ${apiVersion}`;
  const known = [
    ...fieldPaths,
    "metadata.annotations",
    "metadata.labels",
    "spec.restartPolicy",
    "spec.schedulerName",
    "status.phase",
    "spec.host",
  ];
  if (subscripted) {
    if (base === "metadata.annotations" || base === "metadata.labels") return undefined;
    return `field label does not support subscript: ${base}`;
  }
  return known.includes(base) ? undefined : `field label not supported: ${base}`;
}

export function validateResourceReference(
  reference: Json,
  forVolume: boolean,
  path: string,
  errors: FieldErrors,
): void {
  const resource = text(reference, "resource");
  if (forVolume && text(reference, "containerName") === "") errors.required(`${path}.containerName`);
  else if (resource === "") errors.required(`${path}.resource`);
  else if (!resourcePaths.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource)) {
    errors.notSupported(`${path}.resource`, resource, resourcePaths.toSorted());
  }
  validateDivisor(resource, text(reference, "divisor"), path, errors);
}

function validateDivisor(resource: string, divisor: string, path: string, errors: FieldErrors): void {
  if (divisor === "" || divisor === "0") return;
  const kind = resource.slice(resource.indexOf(".") + 1);
  if (kind === "cpu") {
    if (divisor !== "1" && divisor !== "1m") {
      errors.invalid(
        `${path}.divisor`,
        resource,
        "only divisor's values 1m and 1 are supported with the cpu resource",
      );
    }
    return;
  }
  if (/^1([kMGTPE]|[KMGTPE]i)?$/.test(divisor)) return;
  const named =
    kind === "ephemeral-storage"
      ? "local ephemeral storage"
      : kind.startsWith("hugepages-")
        ? "hugepages"
        : kind;
  errors.invalid(
    `${path}.divisor`,
    resource,
    `only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the ${named} resource`,
  );
}

function validateKeyReference(reference: Json, path: string, errors: FieldErrors): void {
  const name = text(reference, "name");
  errors.invalidEach(`${path}.name`, name, dnsSubdomainProblems(name));
  const key = text(reference, "key");
  if (key === "") errors.required(`${path}.key`);
  else errors.invalidEach(`${path}.key`, key, dataKey(key));
}

function validateFileReference(reference: Json, path: string, errors: FieldErrors): void {
  const key = text(reference, "key");
  if (key === "") errors.required(`${path}.key`);
  else errors.invalidEach(`${path}.key`, key, environmentName(key));
  const volume = text(reference, "volumeName");
  if (volume === "") errors.required(`${path}.volumeName`);
  else errors.invalidEach(`${path}.volumeName`, volume, dnsLabelProblems(volume));
  const file = text(reference, "path");
  if (file === "") errors.required(`${path}.path`);
  else if (file.split("/").includes("..")) errors.invalid(`${path}.path`, file, "must not contain '..'");
}

function validateEnvironmentFrom(from: Json, path: string, index: number, errors: FieldErrors): void {
  const at = `${path}[${index}]`;
  const prefix = text(from, "prefix");
  if (prefix !== "") errors.invalidEach(`${at}.prefix`, prefix, environmentName(prefix));
  const given = ["configMapRef", "secretRef"].filter((key) => present(from, key));
  for (const key of given) {
    const name = text(child(from, key), "name");
    if (name === "") errors.required(`${at}.${key}.name`);
    else errors.invalidEach(`${at}.${key}.name`, name, dnsSubdomainProblems(name));
  }
  // upstream: ValidateEnvFrom reports these two at the list, not at its item.
  if (given.length === 0) errors.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`");
  else if (given.length > 1) errors.invalid(path, "", "may not have more than one field specified at a time");
}
