import {
  child,
  descend,
  int64,
  items,
  type Json,
  present,
  stringMap,
  strings,
  text,
} from "../../../api/json.ts";
import { ipWarnings } from "../network/address-checks.ts";
import { type PlacedContainer, placedContainers } from "../pod/placed-containers.ts";
import { claimSpecWarnings, fractionWarnings } from "./amounts.ts";
import { deprecatedLabel, keyWarnings, nodeTermWarnings } from "./node-labels.ts";
import { overlapWarnings } from "./overlapping-paths.ts";
import { portWarnings } from "./ports.ts";

const oldAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod":
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};

const oldVolumes: Readonly<Record<string, string>> = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
};
const shownAs: Readonly<Record<string, string>> = { storageos: "storageOS" };

const SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const BYTES = ["memory", "ephemeral-storage"];

/** What is said of a pod, or of a template at this path, that is taken. upstream: pkg/api/pod/warnings.go */
export function podWarnings(pod: Json, template?: string): readonly string[] {
  const path = template === undefined ? "" : `${template}.`;
  const spec = child(pod, "spec") ?? {};
  const annotations = stringMap(child(pod, "metadata"), "annotations");
  const at = `${path}spec`;
  const containers = placedContainers(spec, at);
  return [
    ...schedulingWarnings(spec, at),
    ...Object.entries(oldAnnotations).flatMap(([key, why]) =>
      Object.hasOwn(annotations, key) ? [`${path}metadata.annotations[${key}]: ${why}`] : [],
    ),
    ...items(spec, "volumes").flatMap((volume, index) => volumeWarnings(volume, `${at}.volumes[${index}]`)),
    ...overlapWarnings(items(spec, "volumes")),
    ...namedTwice(spec, "hostAliases", "ip", at),
    ...namedTwice(spec, "imagePullSecrets", "name", at),
    ...items(spec, "imagePullSecrets").flatMap((secret, index) =>
      text(secret, "name") === "" ? [`${at}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
    ...fractionWarnings(spec, "overhead", `${at}.overhead`, BYTES),
    ...seccompWarning(spec, annotations, "seccomp.security.alpha.kubernetes.io/pod", path),
    ...containers.flatMap((placed) => containerWarnings(placed, annotations, path)),
    ...portWarnings(containers),
    // upstream: that of a pod itself has become 1 by now.
    ...(template !== undefined && (int64(spec, "terminationGracePeriodSeconds") ?? 0) < 0
      ? [
          `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(spec, at),
    ...strings(child(spec, "dnsConfig"), "nameservers").flatMap((server, index) =>
      ipWarnings(`${at}.dnsConfig.nameservers[${index}]`, server),
    ),
    ...items(spec, "hostAliases").flatMap((alias, index) =>
      ipWarnings(`${at}.hostAliases[${index}].ip`, text(alias, "ip")),
    ),
  ];
}

function schedulingWarnings(spec: Json, path: string): readonly string[] {
  const affinity = descend(spec, "affinity", "nodeAffinity");
  const at = `${path}.affinity.nodeAffinity`;
  const [required, preferred] = ["required", "preferred"].map(
    (how) => `${how}DuringSchedulingIgnoredDuringExecution`,
  );
  return [
    ...Object.keys(stringMap(spec, "nodeSelector")).flatMap((key) => {
      const why = deprecatedLabel(key);
      return why === undefined ? [] : [`${path}.nodeSelector[${key}]: ${why}`];
    }),
    ...items(child(affinity, required ?? ""), "nodeSelectorTerms").flatMap((term, index) =>
      nodeTermWarnings(term, `${at}.${required}.nodeSelectorTerms[${index}]`),
    ),
    ...items(affinity, preferred ?? "").flatMap((term, index) =>
      nodeTermWarnings(child(term, "preference"), `${at}.${preferred}[${index}].preference`, true),
    ),
    ...items(spec, "topologySpreadConstraints").flatMap((constraint, index) => {
      const place = `${path}.topologySpreadConstraints[${index}]`;
      return [
        ...keyWarnings(text(constraint, "topologyKey"), `${place}.topologyKey`),
        ...selectsNothing(constraint, place),
      ];
    }),
  ];
}

function selectsNothing(term: Json | undefined, path: string): readonly string[] {
  return present(term, "labelSelector")
    ? []
    : [`${path}.labelSelector: a null labelSelector results in matching no pod`];
}

function affinityWarnings(spec: Json, path: string): readonly string[] {
  return ["podAffinity", "podAntiAffinity"].flatMap((key) => {
    const affinity = descend(spec, "affinity", key);
    const at = `${path}.affinity.${key}`;
    const [required, preferred] = ["required", "preferred"].map(
      (how) => `${how}DuringSchedulingIgnoredDuringExecution`,
    );
    return [
      ...items(affinity, required ?? "").flatMap((term, index) =>
        selectsNothing(term, `${at}.${required}[${index}]`),
      ),
      ...items(affinity, preferred ?? "").flatMap((term, index) =>
        selectsNothing(child(term, "podAffinityTerm"), `${at}.${preferred}[${index}].podAffinityTerm`),
      ),
    ];
  });
}

function volumeWarnings(volume: Json, path: string): readonly string[] {
  const template = descend(volume, "ephemeral", "volumeClaimTemplate");
  return [
    ...Object.entries(oldVolumes).flatMap(([key, why]) =>
      present(volume, key) ? [`${path}.${shownAs[key] ?? key}: ${why}`] : [],
    ),
    ...claimSpecWarnings(child(template, "spec"), `${path}.ephemeral.volumeClaimTemplate.spec`),
  ];
}

function namedTwice(spec: Json, list: string, key: string, path: string): readonly string[] {
  const seen = new Set<string>();
  return items(spec, list).flatMap((item, index) => {
    const name = text(item, key);
    if (seen.has(name)) return [`${path}.${list}[${index}].${key}: duplicate ${key} ${JSON.stringify(name)}`];
    seen.add(name);
    return [];
  });
}

/** `holder` has the security context that would say the same. */
function seccompWarning(
  holder: Json,
  annotations: Readonly<Record<string, string>>,
  key: string,
  path: string,
): readonly string[] {
  const isSaid = present(child(holder, "securityContext"), "seccompProfile");
  return isSaid || !Object.hasOwn(annotations, key)
    ? []
    : [`${path}metadata.annotations[${key}]: ${SECCOMP}`];
}

function containerWarnings(
  { container, path }: PlacedContainer,
  annotations: Readonly<Record<string, string>>,
  root: string,
): readonly string[] {
  const name = text(container, "name");
  const appArmor = `container.apparmor.security.beta.kubernetes.io/${name}`;
  // Pods have their annotations made into fields.
  const hasOldProfile =
    root !== "" &&
    Object.hasOwn(annotations, appArmor) &&
    !present(child(container, "securityContext"), "appArmorProfile");
  return [
    ...seccompWarning(container, annotations, `container.seccomp.security.alpha.kubernetes.io/${name}`, root),
    ...(hasOldProfile
      ? [
          `${root}metadata.annotations[${appArmor}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
        ]
      : []),
    ...BYTES.flatMap((resource) =>
      ["limits", "requests"].flatMap((key) =>
        fractionWarnings(child(container, "resources"), key, `${path}.resources.${key}`, [resource]),
      ),
    ),
    ...variableWarnings(container, path),
  ];
}

/** A variable that is given again may speak of what it was. */
function variableWarnings(container: Json, path: string): readonly string[] {
  const seen = new Set<string>();
  return items(container, "env").flatMap((variable, index) => {
    const [name, value] = [text(variable, "name"), text(variable, "value")];
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const itself = `$(${name})`;
    if (!present(variable, "valueFrom") && value !== itself && value.includes(itself)) return [];
    const hides = `hides previous definition of ${JSON.stringify(name)}`;
    return [`${path}.env[${index}]: ${hides}, which may be dropped when using apply`];
  });
}
