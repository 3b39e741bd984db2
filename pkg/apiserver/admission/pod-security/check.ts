import type { Container, PodSpec } from "../../../api/types/core-v1.gen.ts";

/** What checks see of a pod, or of a template of pods. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
}

export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Undefined: there is nothing to object to. */
export type PodCheck = (pod: CheckedPod) => Violation | undefined;

/** A rule of a level, as it was from each minor version on. */
export interface Check {
  /** Also the order in which violations are told. */
  readonly id: string;
  readonly versions: readonly VersionedCheck[];
}

export interface VersionedCheck {
  readonly since: number;
  readonly check: PodCheck;
  /** Baseline's check that says the same more leniently. */
  readonly instead?: string;
}

export function allContainers({ spec }: CheckedPod): readonly Container[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  return [...initContainers, ...containers, ...ephemeralContainers];
}

/** Names of the containers that this holds for. */
export function containersWhere(
  pod: CheckedPod,
  holds: (container: Container) => boolean,
): readonly string[] {
  return allContainers(pod).flatMap((container) => (holds(container) ? [container.name] : []));
}

export function quoted(values: readonly string[]): string {
  return `"${values.join('", "')}"`;
}

/** Each once, in order. */
export function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

export function plural(one: string, many: string, values: readonly unknown[]): string {
  return values.length === 1 ? one : many;
}

/** `container "a"` or `containers "a", "b"`. */
export function namedContainers(names: readonly string[]): string {
  return `${plural("container", "containers", names)} ${quoted(names)}`;
}

/** Who sets something: the pod, or these of its containers. */
export function setters(byPod: boolean, containers: readonly string[]): readonly string[] {
  return [...(byPod ? ["pod"] : []), ...(containers.length === 0 ? [] : [namedContainers(containers)])];
}

/** In a user namespace, root is nobody. */
export const unlessInUserNamespace =
  (check: PodCheck): PodCheck =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);

export const unlessWindows =
  (check: PodCheck): PodCheck =>
  (pod) =>
    pod.spec.os?.name === "windows" ? undefined : check(pod);
