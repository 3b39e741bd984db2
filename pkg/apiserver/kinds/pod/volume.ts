import { dnsLabelProblems } from "../../../api/names.ts";
import { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, isJson, items, present, text } from "../../../api/json.ts";
import { validateClaimSpec } from "../storage/claim-spec.ts";
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
    else errors.list.push(...own.list);
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

type SourceCheck = (source: Json, path: string, errors: FieldErrors) => void;

/** In the order in which the API server looks at them: the first one given is the one that counts. */
const sourceChecks: Readonly<Record<string, SourceCheck>> = {
  emptyDir: requires(),
  hostPath: validateHostPath,
  gitRepo: requires("repository"),
  gcePersistentDisk: requires("pdName"),
  awsElasticBlockStore: requires("volumeID"),
  secret: (source, path, errors) => validateFiles(source, "secretName", path, errors),
  nfs: validateNfs,
  iscsi: requires("targetPortal", "iqn"),
  glusterfs: requires("endpoints", "path"),
  flocker: requires(),
  persistentVolumeClaim: requires("claimName"),
  rbd: requires("image"),
  cinder: requires("volumeID"),
  cephfs: requires(),
  quobyte: requires("registry", "volume"),
  downwardAPI: validateDownward,
  fc: requires(),
  flexVolume: requires("driver"),
  configMap: (source, path, errors) => validateFiles(source, "name", path, errors),
  azureFile: requires("secretName", "shareName"),
  vsphereVolume: requires("volumePath"),
  photonPersistentDisk: requires("pdID"),
  portworxVolume: requires("volumeID"),
  azureDisk: requires("diskName", "diskURI"),
  storageos: requires(),
  projected: validateProjected,
  scaleIO: requires("gateway", "system", "volumeName"),
  csi: requires("driver"),
  ephemeral: validateEphemeral,
  image: validateImage,
};

function requires(...keys: readonly string[]): SourceCheck {
  return (source, path, errors) => {
    for (const key of keys) if (text(source, key) === "") errors.required(`${path}.${key}`);
  };
}

function validateSource(volume: Json, path: string, errors: FieldErrors): void {
  let found = false;
  for (const [key, check] of Object.entries(sourceChecks)) {
    const source = volume[key];
    if (!isJson(source)) continue;
    if (found) errors.forbidden(`${path}.${key}`, "may not specify more than 1 volume type");
    else check(source, `${path}.${key}`, errors);
    found = true;
  }
  if (!found) errors.required(path, "must specify a volume type");
}

function validateHostPath(source: Json, path: string, errors: FieldErrors): void {
  const hostPath = text(source, "path");
  if (hostPath === "") {
    errors.required(`${path}.path`);
    return;
  }
  validateNoBacksteps(hostPath, `${path}.path`, errors);
  const type = text(source, "type");
  if (!hostPathTypes.includes(type)) errors.notSupported(`${path}.type`, type, hostPathTypes);
}

function validateNfs(source: Json, path: string, errors: FieldErrors): void {
  if (text(source, "server") === "") errors.required(`${path}.server`);
  const exported = text(source, "path");
  if (exported === "") errors.required(`${path}.path`);
  if (!exported.startsWith("/")) errors.invalid(`${path}.path`, exported, "must be an absolute path");
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
  validateClaimSpec(child(template, "spec") ?? {}, `${path}.volumeClaimTemplate.spec`, errors);
}

function validateImage(source: Json, path: string, errors: FieldErrors): void {
  if (text(source, "reference") === "") errors.required(`${path}.reference`);
  const policy = text(source, "pullPolicy");
  const policies = ["Always", "IfNotPresent", "Never"];
  if (policy === "" || policies.includes(policy)) return;
  errors.notSupported(`${path}.pullPolicy`, policy, policies);
}
