import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, isJson, items, present, text } from "../../../api/json.ts";
import { validateDriverName } from "../devices/names.ts";
import { validateTemplateMetadata } from "../metadata.ts";
import { validateClaimSpec } from "../storage/claim-spec.ts";
import { iscsiCheck, requires, sharedSources, type SourceCheck } from "../storage/volume-sources.ts";
import { validateDownward, validateKeyPaths, validateMode, validateProjected } from "./volume-projection.ts";
import { validateNoBacksteps } from "./volume-mount.ts";

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

/** Checks the volumes and returns the good ones by name, for the mounts that refer to them. */
export function validateVolumes(
  spec: Json,
  podName: string,
  path: string,
  errors: FieldErrors,
): ReadonlyMap<string, Json> {
  const volumes = new Map<string, Json>();
  const created = new Set(
    items(spec, "volumes")
      .filter((volume) => podName !== "" && present(volume, "ephemeral"))
      .map((volume) => `${podName}-${text(volume, "name")}`),
  );
  for (const [index, volume] of items(spec, "volumes").entries()) {
    const at = `${path}[${index}]`;
    const own = new FieldErrors();
    validateSource(volume, at, own);
    const name = text(volume, "name");
    if (name === "") own.required(`${at}.name`);
    else own.invalidEach(`${at}.name`, name, dnsLabelProblems(name));
    if (volumes.has(name)) own.duplicate(`${at}.name`, name);
    if (own.list.length === 0) volumes.set(name, volume);
    else for (const error of own.list) errors.list.push(error);
    const claim = text(child(volume, "persistentVolumeClaim"), "claimName");
    if (claim !== "" && created.has(claim)) {
      errors.invalid(
        `${at}.persistentVolumeClaim.claimName`,
        claim,
        "must not reference a PVC that gets created for an ephemeral volume",
      );
    }
  }
  return volumes;
}

function shared(key: string): Readonly<Record<string, SourceCheck>> {
  const check = sharedSources[key];
  if (check === undefined) throw new Error(`${key} is not shared`);
  return { [key]: check };
}

/** In the order in which the API server looks at them: the first one given is the one that counts. */
const sourceChecks: Readonly<Record<string, SourceCheck>> = {
  emptyDir: requires(),
  hostPath: validateHostPath,
  gitRepo: requires("repository"),
  ...shared("gcePersistentDisk"),
  ...shared("awsElasticBlockStore"),
  secret: (source, path, errors) => validateFiles(source, "secretName", path, errors),
  ...shared("nfs"),
  iscsi: iscsiCheck(""),
  glusterfs: requires("endpoints", "path"),
  ...shared("flocker"),
  persistentVolumeClaim: requires("claimName"),
  ...shared("rbd"),
  cinder: validateCinder,
  ...shared("cephfs"),
  ...shared("quobyte"),
  downwardAPI: validateDownward,
  ...shared("fc"),
  flexVolume: requires("driver"),
  configMap: (source, path, errors) => validateFiles(source, "name", path, errors),
  azureFile: requires("secretName", "shareName"),
  ...shared("vsphereVolume"),
  ...shared("photonPersistentDisk"),
  ...shared("portworxVolume"),
  ...shared("azureDisk"),
  storageos: validateStorageOs,
  projected: validateProjected,
  ...shared("scaleIO"),
  csi: validateCsi,
  ephemeral: validateEphemeral,
  image: validateImage,
};

/** upstream: pkg/apis/core/validation#validateVolumeSource, where a volume has several sources. */
const misspelt: Readonly<Record<string, string>> = { cephfs: "cephFS", downwardAPI: "downwarAPI" };

function validateSource(volume: Json, path: string, errors: FieldErrors): void {
  let found = false;
  for (const [key, check] of Object.entries(sourceChecks)) {
    const source = volume[key];
    if (!isJson(source)) continue;
    if (found) errors.forbidden(`${path}.${misspelt[key] ?? key}`, "may not specify more than 1 volume type");
    else check(source, `${path}.${key}`, errors);
    found = true;
  }
  if (!found) errors.required(path, "must specify a volume type");
}

export function validateHostPath(source: Json, path: string, errors: FieldErrors): void {
  const hostPath = text(source, "path");
  if (hostPath === "") errors.required(`${path}.path`);
  validateNoBacksteps(hostPath, `${path}.path`, errors);
  const type = text(source, "type");
  if (!hostPathTypes.includes(type)) errors.notSupported(`${path}.type`, type, hostPathTypes);
}

function validateFiles(source: Json, nameKey: string, path: string, errors: FieldErrors): void {
  if (text(source, nameKey) === "") errors.required(`${path}.${nameKey}`);
  validateMode(source, "defaultMode", path, errors);
  validateKeyPaths(source, path, errors);
}

function validateEphemeral(source: Json, path: string, errors: FieldErrors): void {
  const template = child(source, "volumeClaimTemplate");
  if (template === undefined) {
    errors.required(`${path}.volumeClaimTemplate`);
    return;
  }
  const at = `${path}.volumeClaimTemplate`;
  validateTemplateMetadata(child(template, "metadata"), `${at}.metadata`, errors);
  validateClaimSpec(child(template, "spec") ?? {}, `${at}.spec`, errors);
}

function validateImage(source: Json, path: string, errors: FieldErrors): void {
  if (text(source, "reference") === "") errors.required(`${path}.reference`);
  const policy = text(source, "pullPolicy");
  const policies = ["Always", "IfNotPresent", "Never"];
  if (policy === "" || policies.includes(policy)) return;
  errors.notSupported(`${path}.pullPolicy`, policy, policies);
}

function requiresSecretName(source: Json, key: string, path: string, errors: FieldErrors): void {
  if (present(source, key)) requires("name")(child(source, key) ?? {}, `${path}.${key}`, errors);
}

function validateCinder(source: Json, path: string, errors: FieldErrors): void {
  requires("volumeID")(source, path, errors);
  requiresSecretName(source, "secretRef", path, errors);
}

function validateCsi(source: Json, path: string, errors: FieldErrors): void {
  validateDriverName(text(source, "driver"), `${path}.driver`, errors);
  requiresSecretName(source, "nodePublishSecretRef", path, errors);
  // upstream: the path is short of the field.
  const name = text(child(source, "nodePublishSecretRef"), "name");
  if (name !== "") errors.invalidEach(`${path}.name`, name, dnsSubdomainProblems(name));
}

function validateStorageOs(source: Json, path: string, errors: FieldErrors): void {
  const [name, namespace] = [text(source, "volumeName"), text(source, "volumeNamespace")];
  if (name === "") errors.required(`${path}.volumeName`);
  else errors.invalidEach(`${path}.volumeName`, name, dnsLabelProblems(name));
  if (namespace !== "") errors.invalidEach(`${path}.volumeNamespace`, namespace, dnsLabelProblems(namespace));
  requiresSecretName(source, "secretRef", path, errors);
}
