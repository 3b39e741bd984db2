import type { Container } from "../../../api/types/core-v1.gen.ts";
import { procMount } from "./baseline-checks.ts";
import {
  allContainers,
  type Check,
  type CheckedPod,
  containersWhere,
  distinct,
  namedContainers,
  plural,
  quoted,
  setters,
  unlessInUserNamespace,
  unlessWindows,
  type Violation,
} from "./check.ts";
import { seccompRequired } from "./seccomp-checks.ts";

function allowPrivilegeEscalation(pod: CheckedPod): Violation | undefined {
  const containers = containersWhere(
    pod,
    ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
  );
  return containers.length === 0
    ? undefined
    : {
        reason: "allowPrivilegeEscalation != false",
        detail: `${namedContainers(containers)} must set securityContext.allowPrivilegeEscalation=false`,
      };
}

function capabilities(pod: CheckedPod): Violation | undefined {
  const addedBy = ({ securityContext }: Container): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((one) => one !== "NET_BIND_SERVICE");
  const keeping = containersWhere(
    pod,
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes("ALL") !== true,
  );
  const adding = containersWhere(pod, (container) => addedBy(container).length > 0);
  const added = quoted(distinct(allContainers(pod).flatMap(addedBy)));
  const details = [
    ...(keeping.length === 0
      ? []
      : [`${namedContainers(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [`${namedContainers(adding)} must not include ${added} in securityContext.capabilities.add`]),
  ];
  return details.length === 0
    ? undefined
    : { reason: "unrestricted capabilities", detail: details.join("; ") };
}

const volumeTypes = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

function volumes({ spec }: CheckedPod): Violation | undefined {
  const typeOf = (volume: object): string => Object.keys(volume).find((key) => key !== "name") ?? "unknown";
  const bad = (spec.volumes ?? []).filter((volume) => !volumeTypes.some((type) => type in volume));
  if (bad.length === 0) return undefined;
  const names = quoted(bad.map(({ name }) => name));
  const types = distinct(bad.map(typeOf));
  const what = `${plural("restricted volume type", "restricted volume types", types)} ${quoted(types)}`;
  return {
    reason: "restricted volume types",
    detail: `${plural("volume", "volumes", bad)} ${names} ${plural("uses", "use", bad)} ${what}`,
  };
}

function runAsNonRoot(pod: CheckedPod): Violation | undefined {
  const reason = "runAsNonRoot != true";
  const own = pod.spec.securityContext?.runAsNonRoot;
  const asRoot = containersWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === false);
  const who = setters(own === false, asRoot);
  if (who.length > 0)
    return { reason, detail: `${who.join(" and ")} must not set securityContext.runAsNonRoot=false` };
  const silent = containersWhere(pod, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (own === true || silent.length === 0) return undefined;
  return { reason, detail: `pod or ${namedContainers(silent)} must set securityContext.runAsNonRoot=true` };
}

function runAsUser(pod: CheckedPod): Violation | undefined {
  const asRoot = containersWhere(pod, ({ securityContext }) => securityContext?.runAsUser === 0);
  const who = setters(pod.spec.securityContext?.runAsUser === 0, asRoot);
  if (who.length === 0) return undefined;
  return { reason: "runAsUser=0", detail: `${who.join(" and ")} must not set runAsUser=0` };
}

/** What hardens a pod beyond baseline, at the price of some comfort. */
export const restrictedChecks: readonly Check[] = [
  {
    id: "allowPrivilegeEscalation",
    versions: [
      { since: 8, check: allowPrivilegeEscalation },
      { since: 25, check: unlessWindows(allowPrivilegeEscalation) },
    ],
  },
  {
    id: "capabilities_restricted",
    versions: [
      { since: 22, check: capabilities, instead: "capabilities_baseline" },
      { since: 25, check: unlessWindows(capabilities), instead: "capabilities_baseline" },
    ],
  },
  { id: "procMount_restricted", versions: [{ since: 35, check: procMount, instead: "procMount" }] },
  { id: "restrictedVolumes", versions: [{ since: 0, check: volumes, instead: "hostPathVolumes" }] },
  {
    id: "runAsNonRoot",
    versions: [
      { since: 0, check: runAsNonRoot },
      { since: 35, check: unlessInUserNamespace(runAsNonRoot) },
    ],
  },
  {
    id: "runAsUser",
    versions: [
      { since: 23, check: runAsUser },
      { since: 35, check: unlessInUserNamespace(runAsUser) },
    ],
  },
  {
    id: "seccompProfile_restricted",
    versions: [
      { since: 19, check: seccompRequired, instead: "seccompProfile_baseline" },
      { since: 25, check: unlessWindows(seccompRequired), instead: "seccompProfile_baseline" },
    ],
  },
];
