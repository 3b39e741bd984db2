import { resources } from "../../../api/resources.ts";
import { parseJson } from "../../../api/wire-json.ts";
import { defineKind, nameAndAge, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { byteLength, dataKey } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import {
  asJson,
  child,
  ensure,
  flag,
  items,
  present,
  sameValue,
  setZeroDefault,
  stringMap,
  text,
} from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import { secretWarnings, serviceAccountWarnings } from "../warnings/secret.ts";

const largestData = 1024 * 1024;

function entryCount(object: Json, ...keys: readonly string[]): number {
  return keys.reduce((total, key) => total + Object.keys(child(object, key) ?? {}).length, 0);
}

/** base64 takes four characters for three bytes. */
function decodedLength(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}

/** An immutable object stays that way, data and all. */
function validateImmutability(
  draft: Draft,
  before: Json,
  keys: readonly string[],
  errors: FieldErrors,
): void {
  if (!flag(before, "immutable")) return;
  const message = "field is immutable when `immutable` is set";
  if (!flag(draft, "immutable")) errors.forbidden("immutable", message);
  for (const key of keys) if (!sameValue(draft[key] ?? {}, before[key] ?? {})) errors.forbidden(key, message);
}

function validateConfigMap(draft: Draft, errors: FieldErrors): void {
  const data = stringMap(draft, "data");
  const binary = stringMap(draft, "binaryData");
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    errors.invalidEach(`data[${key}]`, key, dataKey(key));
    if (binary[key] !== undefined) {
      errors.invalid(`data[${key}]`, key, "duplicate of key present in binaryData");
    }
    bytes += byteLength(value);
  }
  for (const [key, value] of Object.entries(binary)) {
    errors.invalidEach(`binaryData[${key}]`, key, dataKey(key));
    bytes += decodedLength(value);
  }
  if (bytes > largestData) errors.tooLong("[]", largestData);
}

const configMapRules: KindSpec = {
  validate: validateConfigMap,
  validateChange: (draft, before, errors) =>
    validateImmutability(draft, before, ["data", "binaryData"], errors),
  columns: [nameColumn, column("Data", (object) => entryCount(object, "data", "binaryData")), ageColumn],
};

/** Keys that a secret of a type must have. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

function setSecretDefaults(draft: Draft): void {
  // stringData is only ever written; it lands in data and wins over what is there.
  for (const [key, value] of Object.entries(stringMap(draft, "stringData"))) {
    ensure(draft, "data")[key] = Buffer.from(value).toString("base64");
  }
  delete draft["stringData"];
  setZeroDefault(draft, "type", "Opaque");
}

function validateSecret(draft: Draft, errors: FieldErrors): void {
  const data = stringMap(draft, "data");
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    errors.invalidEach(`data[${key}]`, key, dataKey(key));
    bytes += decodedLength(value);
  }
  if (bytes > largestData) errors.tooLong("data", largestData);
  const type = text(draft, "type");
  for (const key of requiredKeys[type] ?? []) {
    if (data[key] === undefined) errors.required(`data[${key}]`);
    else if (type.startsWith("kubernetes.io/dockerc")) validateDockerConfig(key, data[key], errors);
  }
  const basicAuth = ["username", "password"];
  if (type === "kubernetes.io/basic-auth" && basicAuth.every((key) => data[key] === undefined)) {
    for (const key of basicAuth) errors.required(`data[${key}]`);
  }
  const accountKey = "kubernetes.io/service-account.name";
  const account = stringMap(draft.metadata, "annotations")[accountKey] ?? "";
  if (type === "kubernetes.io/service-account-token" && account === "") {
    errors.required(`metadata.annotations[${accountKey}]`);
  }
}

function validateDockerConfig(key: string, value: string, errors: FieldErrors): void {
  try {
    parseJson(Buffer.from(value, "base64").toString("utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    errors.invalid(`data[${key}]`, "<secret contents redacted>", error.message);
  }
}

const secretRules: KindSpec = {
  warnings: secretWarnings,
  setDefaults: setSecretDefaults,
  prepareForUpdate(draft, before) {
    // A PUT by an old client that leaves the type out keeps it.
    if (text(draft, "type") === "") draft["type"] = text(before, "type");
  },
  validate: validateSecret,
  validateChange(draft, before, errors) {
    errors.immutable("type", text(draft, "type"), text(before, "type"));
    validateImmutability(draft, before, ["data"], errors);
  },
  selectableFields: (object) => ({ type: text(asJson(object), "type") }),
  columns: [
    nameColumn,
    column("Type", (object) => text(object, "type")),
    column("Data", (object) => entryCount(object, "data")),
    ageColumn,
  ],
};

/** Of secrets that a service account may use, only their names count. */
function nameSecretsOnly(draft: Draft): void {
  const secrets = items(draft, "secrets");
  if (secrets.length > 0)
    draft["secrets"] = secrets.map((secret) => (present(secret, "name") ? { name: secret["name"] } : {}));
}

export const configDataKinds = [
  defineKind(resources.configMaps, configMapRules),
  defineKind(resources.secrets, secretRules),
  defineKind(resources.serviceAccounts, {
    warnings: serviceAccountWarnings,
    columns: nameAndAge,
    prepareForCreate: nameSecretsOnly,
    prepareForUpdate: nameSecretsOnly,
  }),
];
