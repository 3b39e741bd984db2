import {
  child,
  count,
  flag,
  integer,
  type Json,
  optionalText,
  present,
  strings,
  text,
} from "../../../api/json.ts";
import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import type { FieldErrors } from "../field-errors.ts";
import { validateDriverName } from "../devices/names.ts";
import { rangeMessage } from "../formats.ts";

/** Checks one sort of volume, in a pod or behind a claim. upstream: pkg/apis/core/validation */
export type SourceCheck = (source: Json, path: string, errors: FieldErrors) => void;

export function requires(...keys: readonly string[]): SourceCheck {
  return (source, path, errors) => {
    for (const key of keys) if (text(source, key) === "") errors.required(`${path}.${key}`);
  };
}

/** What both a pod and a volume may name. */
export const sharedSources: Readonly<Record<string, SourceCheck>> = {
  awsElasticBlockStore(source, path, errors) {
    requires("volumeID")(source, path, errors);
    validatePartition(source, path, errors);
  },
  azureDisk: validateAzureDisk,
  cephfs: requiresMonitors,
  fc: validateFibreChannel,
  flocker: validateFlocker,
  gcePersistentDisk(source, path, errors) {
    requires("pdName")(source, path, errors);
    validatePartition(source, path, errors);
  },
  nfs: validateNfs,
  photonPersistentDisk: requires("pdID"),
  portworxVolume: requires("volumeID"),
  quobyte: validateQuobyte,
  rbd(source, path, errors) {
    requiresMonitors(source, path, errors);
    requires("image")(source, path, errors);
  },
  scaleIO: requires("gateway", "system", "volumeName"),
  vsphereVolume: requires("volumePath"),
};

function validatePartition(source: Json, path: string, errors: FieldErrors): void {
  const partition = count(source, "partition");
  if (partition < 0 || partition > 255) errors.invalid(`${path}.partition`, partition, rangeMessage(1, 255));
}

function requiresMonitors(source: Json, path: string, errors: FieldErrors): void {
  if (strings(source, "monitors").length === 0) errors.required(`${path}.monitors`);
}

function validateNfs(source: Json, path: string, errors: FieldErrors): void {
  if (text(source, "server") === "") errors.required(`${path}.server`);
  const exported = text(source, "path");
  if (exported === "") errors.required(`${path}.path`);
  if (!exported.startsWith("/")) errors.invalid(`${path}.path`, exported, "must be an absolute path");
}

function validateFibreChannel(source: Json, path: string, errors: FieldErrors): void {
  const targets = strings(source, "targetWWNs");
  const ids = strings(source, "wwids");
  const at = `${path}.targetWWNs`;
  if (targets.length === 0 && ids.length === 0)
    errors.required(at, "must specify either targetWWNs or wwids, but not both");
  if (targets.length > 0 && ids.length > 0)
    errors.invalid(at, targets, "targetWWNs and wwids can not be specified simultaneously");
  if (targets.length === 0) return;
  const lun = integer(source, "lun");
  if (lun === undefined) errors.required(`${path}.lun`, "lun is required if targetWWNs is specified");
  else if (lun < 0 || lun > 255) errors.invalid(`${path}.lun`, lun, rangeMessage(0, 255));
}

function validateFlocker(source: Json, path: string, errors: FieldErrors): void {
  const [name, uuid] = [text(source, "datasetName"), text(source, "datasetUUID")];
  if (name === "" && uuid === "") errors.required(path, "one of datasetName and datasetUUID is required");
  if (name !== "" && uuid !== "")
    errors.invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously");
  if (name.includes("/")) errors.invalid(`${path}.datasetName`, name, "must not contain '/'");
}

function validateQuobyte(source: Json, path: string, errors: FieldErrors): void {
  const registry = text(source, "registry");
  const message = "must be a host:port pair or multiple pairs separated by commas";
  if (registry === "") errors.required(`${path}.registry`, message);
  else if (text(source, "tenant").length >= 65)
    errors.required(`${path}.tenant`, "must be a UUID and may not exceed a length of 64 characters");
  else
    for (const pair of registry.split(","))
      if (!/^(?:[^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(pair))
        errors.invalid(`${path}.registry`, registry, message);
  if (text(source, "volume") === "") errors.required(`${path}.volume`);
}

function validateAzureDisk(source: Json, path: string, errors: FieldErrors): void {
  requires("diskName", "diskURI")(source, path, errors);
  const uri = text(source, "diskURI");
  const caching = optionalText(source, "cachingMode");
  const cachings = ["None", "ReadOnly", "ReadWrite"];
  if (caching !== undefined && !cachings.includes(caching))
    errors.notSupported(`${path}.cachingMode`, caching, cachings);
  const kind = optionalText(source, "kind");
  const kinds = ["Dedicated", "Managed", "Shared"];
  if (kind === undefined) return;
  if (!kinds.includes(kind)) errors.notSupported(`${path}.kind`, kind, kinds);
  const [start, form] =
    kind === "Managed"
      ? [
          "/subscriptions/",
          "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
        ]
      : ["https://", "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"];
  if (!uri.startsWith(start)) errors.notSupported(`${path}.diskURI`, uri, [form]);
}

const iscsiNames: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

function isIscsiName(name: string): boolean {
  // The time that the patterns take grows faster than the name.
  return name.length <= 1_000 && iscsiNames[name.slice(0, 3)]?.test(name) === true;
}

/** `volumeName`: "" in a pod. */
export function iscsiCheck(volumeName: string): SourceCheck {
  return (source, path, errors) => {
    const portal = text(source, "targetPortal");
    const initiator = optionalText(source, "initiatorName");
    if (portal === "") errors.required(`${path}.targetPortal`);
    if (volumeName !== "" && initiator !== undefined && `${volumeName}:${portal}`.length > 64)
      errors.invalid(
        `${path}.targetportal`,
        portal,
        "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.",
      );
    const iqn = text(source, "iqn");
    if (iqn === "") errors.required(`${path}.iqn`);
    else if (!isIscsiName(iqn)) errors.invalid(`${path}.iqn`, iqn, "must be valid format");
    const lun = count(source, "lun");
    if (lun < 0 || lun > 255) errors.invalid(`${path}.lun`, lun, rangeMessage(0, 255));
    const secret = child(source, "secretRef");
    const asks = flag(source, "chapAuthDiscovery") || flag(source, "chapAuthSession");
    if (asks && secret === undefined) errors.required(`${path}.secretRef`);
    if (secret !== undefined && text(secret, "name") === "") errors.required(`${path}.secretRef.name`);
    if (initiator !== undefined && !isIscsiName(initiator))
      errors.invalid(`${path}.initiatorname`, initiator, "must be valid format");
  };
}

/** Of volumes behind claims, by field; in the order in which the API server looks at them. */
export function volumeSources(volumeName: string): Readonly<Record<string, SourceCheck>> {
  const { awsElasticBlockStore, azureDisk, cephfs, fc, flocker, gcePersistentDisk, nfs } = sharedSources;
  const { photonPersistentDisk, portworxVolume, quobyte, rbd, scaleIO, vsphereVolume } = sharedSources;
  return Object.fromEntries(
    Object.entries({
      hostPath: undefined,
      gcePersistentDisk,
      awsElasticBlockStore,
      glusterfs: validateGlusterfs,
      flocker,
      nfs,
      rbd,
      quobyte,
      cephfs,
      iscsi: iscsiCheck(volumeName),
      cinder: validateCinder,
      fc,
      flexVolume: validateFlex,
      azureFile: validateAzureFile,
      vsphereVolume,
      photonPersistentDisk,
      portworxVolume,
      azureDisk,
      scaleIO,
      local: undefined,
      storageos: validateStorageOs,
      csi: validateCsi,
    }).map(([key, check]) => [key, check ?? (() => undefined)]),
  );
}

function validateGlusterfs(source: Json, path: string, errors: FieldErrors): void {
  requires("endpoints", "path")(source, path, errors);
  const namespace = optionalText(source, "endpointsNamespace");
  if (namespace === undefined) return;
  const at = `${path}.endpointsNamespace`;
  if (namespace === "")
    errors.invalid(at, "", "if the endpointnamespace is set, it must be a valid namespace name");
  else errors.invalidEach(at, namespace, dnsLabelProblems(namespace));
}

function requiresSecret(source: Json, path: string, errors: FieldErrors): void {
  const secret = child(source, "secretRef");
  if (secret !== undefined) requires("name", "namespace")(secret, `${path}.secretRef`, errors);
}

function validateCinder(source: Json, path: string, errors: FieldErrors): void {
  requires("volumeID")(source, path, errors);
  requiresSecret(source, path, errors);
}

function validateFlex(source: Json, path: string, errors: FieldErrors): void {
  requires("driver")(source, path, errors);
  for (const key of Object.keys(child(source, "options") ?? {})) {
    const domain = `.${(key.split("/", 1)[0] ?? "").toLowerCase()}`;
    if (domain.endsWith(".kubernetes.io") || domain.endsWith(".k8s.io"))
      errors.invalid(`${path}.options[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved");
  }
}

function validateAzureFile(source: Json, path: string, errors: FieldErrors): void {
  requires("secretName", "shareName")(source, path, errors);
  if (optionalText(source, "secretNamespace") === "") errors.required(`${path}.secretNamespace`);
}

function validateStorageOs(source: Json, path: string, errors: FieldErrors): void {
  const name = text(source, "volumeName");
  if (name === "") errors.required(`${path}.volumeName`);
  else errors.invalidEach(`${path}.volumeName`, name, dnsLabelProblems(name));
  const namespace = text(source, "volumeNamespace");
  if (namespace !== "") errors.invalidEach(`${path}.volumeNamespace`, namespace, dnsLabelProblems(namespace));
  requiresSecret(source, path, errors);
}

const csiSecrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
];

function validateCsi(source: Json, path: string, errors: FieldErrors): void {
  validateDriverName(text(source, "driver"), `${path}.driver`, errors);
  requires("volumeHandle")(source, path, errors);
  for (const key of csiSecrets) {
    if (!present(source, key)) continue;
    const secret = child(source, key);
    const [name, namespace] = [text(secret, "name"), text(secret, "namespace")];
    if (name === "") errors.required(`${path}.${key}.name`);
    else errors.invalidEach(`${path}.${key}.name`, name, dnsSubdomainProblems(name));
    if (namespace === "") errors.required(`${path}.${key}.namespace`);
    else errors.invalidEach(`${path}.${key}.namespace`, namespace, dnsLabelProblems(namespace));
  }
}
