import type { Container } from "../../../api/types/core-v1.gen.ts";
import {
  allContainers,
  type CheckedPod,
  containersWhere,
  distinct,
  namedContainers,
  plural,
  quoted,
  setters,
  type Violation,
} from "./check.ts";

const reason = "seccompProfile";
const podAnnotation = "seccomp.security.alpha.kubernetes.io/pod";
const containerAnnotation = "container.seccomp.security.alpha.kubernetes.io/";

/** As it was before there were fields for it. */
export function seccompAnnotations(pod: CheckedPod): Violation | undefined {
  const keys = [podAnnotation, ...allContainers(pod).map(({ name }) => containerAnnotation + name)];
  const forbidden = keys.flatMap((key) => {
    const value = pod.annotations[key];
    const isFine = value === undefined || /^runtime\/default$|^docker\/default$|^localhost\//.test(value);
    return isFine ? [] : [`${key}=${JSON.stringify(value)}`];
  });
  const shown = distinct(forbidden);
  return shown.length === 0
    ? undefined
    : { reason, detail: `forbidden ${plural("annotation", "annotations", shown)} ${shown.join(", ")}` };
}

const isGood = (type: string | undefined): boolean => type === "Localhost" || type === "RuntimeDefault";
const typeOf = ({ securityContext }: Container): string | undefined => securityContext?.seccompProfile?.type;

export function seccompProfiles(pod: CheckedPod): Violation | undefined {
  const isBad = (type: string | undefined): type is string => type !== undefined && !isGood(type);
  const own = pod.spec.securityContext?.seccompProfile?.type;
  const containers = containersWhere(pod, (container) => isBad(typeOf(container)));
  const who = setters(isBad(own), containers);
  const types = quoted(distinct([own, ...allContainers(pod).map(typeOf)].filter(isBad)));
  return who.length === 0
    ? undefined
    : { reason, detail: `${who.join(" and ")} must not set securityContext.seccompProfile.type to ${types}` };
}

/** Besides, every container must have one, its own or the pod's. */
export function seccompRequired(pod: CheckedPod): Violation | undefined {
  const bad = seccompProfiles(pod);
  if (bad !== undefined || isGood(pod.spec.securityContext?.seccompProfile?.type)) return bad;
  const containers = containersWhere(pod, (container) => typeOf(container) === undefined);
  const what = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return containers.length === 0
    ? undefined
    : { reason, detail: `pod or ${namedContainers(containers)} ${what}` };
}
