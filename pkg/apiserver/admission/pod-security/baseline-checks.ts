import type { Container, Lifecycle, Probe } from "../../../api/types/core-v1.gen.ts";
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
  type Violation,
} from "./check.ts";
import { seccompAnnotations, seccompProfiles } from "./seccomp-checks.ts";
import { seLinuxOptions } from "./selinux-check.ts";

const APPARMOR = "container.apparmor.security.beta.kubernetes.io/";

function appArmorProfile(pod: CheckedPod): Violation | undefined {
  const isBad = (type: string | undefined): type is string =>
    type !== undefined && type !== "RuntimeDefault" && type !== "Localhost";
  const ownType = pod.spec.securityContext?.appArmorProfile?.type;
  const typeOf = (container: Container): string | undefined =>
    container.securityContext?.appArmorProfile?.type;
  const containers = containersWhere(pod, (container) => isBad(typeOf(container)));
  const types = distinct([ownType, ...allContainers(pod).map(typeOf)].filter(isBad));
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(APPARMOR) && !/^$|^runtime\/default$|^localhost\//.test(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const who = [
    ...setters(isBad(ownType), containers),
    ...(annotations.length === 0 ? [] : [plural("annotation", "annotations", annotations)]),
  ];
  const values = [...types, ...annotations];
  return who.length === 0
    ? undefined
    : {
        reason: plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values),
        detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
      };
}

const defaultCapabilities = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

function capabilities(pod: CheckedPod): Violation | undefined {
  const extraOf = ({ securityContext }: Container): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((one) => !defaultCapabilities.has(one));
  const containers = containersWhere(pod, (container) => extraOf(container).length > 0);
  const extra = quoted(distinct(allContainers(pod).flatMap(extraOf)));
  return containers.length === 0
    ? undefined
    : {
        reason: "non-default capabilities",
        detail: `${namedContainers(containers)} must not include ${extra} in securityContext.capabilities.add`,
      };
}

function hostNamespaces({ spec }: CheckedPod): Violation | undefined {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name] === true);
  if (shared.length === 0) return undefined;
  return { reason: "host namespaces", detail: shared.map((name) => `${name}=true`).join(", ") };
}

function hostPathVolumes({ spec }: CheckedPod): Violation | undefined {
  const volumes = (spec.volumes ?? []).filter((volume) => volume.hostPath !== undefined);
  if (volumes.length === 0) return undefined;
  const names = quoted(volumes.map(({ name }) => name));
  return { reason: "hostPath volumes", detail: `${plural("volume", "volumes", volumes)} ${names}` };
}

function hostPorts(pod: CheckedPod): Violation | undefined {
  const portsOf = ({ ports = [] }: Container): readonly string[] =>
    ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]));
  const containers = containersWhere(pod, (container) => portsOf(container).length > 0);
  const ports = distinct(allContainers(pod).flatMap(portsOf));
  const what = `${plural("hostPort", "hostPorts", ports)} ${ports.join(", ")}`;
  return containers.length === 0
    ? undefined
    : {
        reason: "hostPort",
        detail: `${namedContainers(containers)} ${plural("uses", "use", containers)} ${what}`,
      };
}

function hostsOfProbes(pod: CheckedPod): Violation | undefined {
  const containers = distinct(containersWhere(pod, (container) => hostsOf(container).length > 0));
  const hosts = distinct(allContainers(pod).flatMap(hostsOf));
  const what = `${plural("probe or lifecycle host", "probe or lifecycle hosts", hosts)} ${quoted(hosts)}`;
  return containers.length === 0
    ? undefined
    : {
        reason: "probe or lifecycle host",
        detail: `${namedContainers(containers)} ${plural("uses", "use", containers)} ${what}`,
      };
}

function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): readonly string[] {
  const actions: readonly (Probe | Lifecycle["preStop"])[] = [
    livenessProbe,
    readinessProbe,
    startupProbe,
    lifecycle?.postStart,
    lifecycle?.preStop,
  ];
  return actions
    .flatMap((action) => [action?.httpGet?.host ?? "", action?.tcpSocket?.host ?? ""])
    .filter((host) => host !== "");
}

function privileged(pod: CheckedPod): Violation | undefined {
  const containers = containersWhere(pod, ({ securityContext }) => securityContext?.privileged === true);
  return containers.length === 0
    ? undefined
    : {
        reason: "privileged",
        detail: `${namedContainers(containers)} must not set securityContext.privileged=true`,
      };
}

export function procMount(pod: CheckedPod): Violation | undefined {
  const isBad = (type: string | undefined): type is string => type !== undefined && type !== "Default";
  const typeOf = ({ securityContext }: Container): string | undefined => securityContext?.procMount;
  const containers = containersWhere(pod, (container) => isBad(typeOf(container)));
  const types = quoted(distinct(allContainers(pod).map(typeOf).filter(isBad)));
  return containers.length === 0
    ? undefined
    : {
        reason: "procMount",
        detail: `${namedContainers(containers)} must not set securityContext.procMount to ${types}`,
      };
}

const sysctls =
  (allowed: readonly string[]) =>
  ({ spec }: CheckedPod): Violation | undefined => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name);
    const forbidden = names.filter((name) => !allowed.includes(name));
    return forbidden.length === 0 ? undefined : { reason: "forbidden sysctls", detail: forbidden.join(", ") };
  };

const sysctls0 = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];
const sysctls27 = [...sysctls0, "net.ipv4.ip_local_reserved_ports"];
const sysctls29 = [
  ...sysctls27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
];
const sysctls32 = [...sysctls29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

function windowsHostProcess(pod: CheckedPod): Violation | undefined {
  const containers = containersWhere(
    pod,
    ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true,
  );
  const who = setters(pod.spec.securityContext?.windowsOptions?.hostProcess === true, containers);
  return who.length === 0
    ? undefined
    : {
        reason: "hostProcess",
        detail: `${who.join(" and ")} must not set securityContext.windowsOptions.hostProcess=true`,
      };
}

/** What keeps known ways of becoming more than a pod shut. */
export const baselineChecks: readonly Check[] = [
  { id: "appArmorProfile", versions: [{ since: 0, check: appArmorProfile }] },
  { id: "capabilities_baseline", versions: [{ since: 0, check: capabilities }] },
  { id: "hostNamespaces", versions: [{ since: 0, check: hostNamespaces }] },
  { id: "hostPathVolumes", versions: [{ since: 0, check: hostPathVolumes }] },
  { id: "hostPorts", versions: [{ since: 0, check: hostPorts }] },
  { id: "hostProbesAndHostLifecycle", versions: [{ since: 34, check: hostsOfProbes }] },
  { id: "privileged", versions: [{ since: 0, check: privileged }] },
  {
    id: "procMount",
    versions: [
      { since: 0, check: procMount },
      { since: 35, check: unlessInUserNamespace(procMount) },
    ],
  },
  {
    id: "seLinuxOptions",
    versions: [
      { since: 0, check: seLinuxOptions([]) },
      { since: 31, check: seLinuxOptions(["container_engine_t"]) },
    ],
  },
  {
    id: "seccompProfile_baseline",
    versions: [
      { since: 0, check: seccompAnnotations },
      { since: 19, check: seccompProfiles },
    ],
  },
  {
    id: "sysctls",
    versions: [
      { since: 0, check: sysctls(sysctls0) },
      { since: 27, check: sysctls(sysctls27) },
      { since: 29, check: sysctls(sysctls29) },
      { since: 32, check: sysctls(sysctls32) },
    ],
  },
  { id: "windowsHostProcess", versions: [{ since: 0, check: windowsHostProcess }] },
];
