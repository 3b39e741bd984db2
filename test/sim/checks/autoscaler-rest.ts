import { isPodActive, isPodReady } from "../../../pkg/api/pod.ts";
import type { Deployment } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { HorizontalPodAutoscaler } from "../../../pkg/api/types/autoscaling-v2.gen.ts";
import { ALL_PODS, autoscalersIn, selectorOf, TARGET_MILLI } from "../world/autoscaler-operations.ts";
import { deploymentsIn, podsIn } from "../world/objects.ts";
import { NAMESPACE, type World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";
import type { Differences } from "./differences.ts";

const LOOK_MS = 1_000;
/** Every autoscaler has had its turn, and seen it. */
const SEEN_MS = 40_000;
/** The last turn may be so long ago. */
const TURN_MS = 18_000;
/** What a pod uses may be off by so much of what it is to use: a tenth. */
const TOLERANCE_MILLI = TARGET_MILLI / 10;

interface Rested {
  readonly replicas: number;
  readonly process: string;
  /** Its uid. */
  readonly autoscaler: string;
  /** Until then a turn has found that so many are needed. */
  readonly untilMs: number;
}

interface Calm {
  readonly key: string;
  readonly sinceMs: number;
}

/** When the load was what so many pods are to bear, for long enough to be noticed. By name of the target. */
export class AutoscalerRest {
  readonly #rested = new Map<string, Rested>();
  readonly #world: World;
  /** Since when nothing is measured, by name of the target. */
  readonly #unmeasuredMs = new Map<string, number>();

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    const calm = new Map<string, Calm>();
    const look = (): void => {
      const nowMs = world.clock.monotonicMs();
      for (const { metadata } of deploymentsIn(world.server.parts.store)) {
        const { name = "" } = metadata;
        if (isMeasured(world, name)) this.#unmeasuredMs.delete(name);
        else if (!this.#unmeasuredMs.has(name)) this.#unmeasuredMs.set(name, nowMs);
      }
      const process = world.leader?.name;
      const isQuiet = process !== undefined && !beliefs.isTrouble() && isTimely(world, nowMs);
      for (const deployment of isQuiet ? deploymentsIn(world.server.parts.store) : []) {
        const { name = "" } = deployment.metadata;
        const key = `${process} ${calmKey(world, deployment)}`;
        const before = calm.get(name);
        const sinceMs = before?.key === key ? before.sinceMs : nowMs;
        calm.set(name, { key, sinceMs });
        if (!key.includes("calm") || nowMs - sinceMs < SEEN_MS) continue;
        const replicas = deployment.spec?.replicas ?? 0;
        const autoscaler = autoscalersOf(world, name)[0]?.metadata.uid ?? "";
        this.#rested.set(name, { replicas, process: process ?? "", autoscaler, untilMs: nowMs - TURN_MS });
      }
      if (!isQuiet) calm.clear();
      world.clock.setTimer(LOOK_MS, look);
    };
    world.clock.setTimer(LOOK_MS, look);
  }

  /** For how long nothing has been measured of its pods. */
  unmeasuredMs(target: string): number {
    const { clock } = this.#world;
    if (isMeasured(this.#world, target)) return 0;
    return clock.monotonicMs() - (this.#unmeasuredMs.get(target) ?? clock.monotonicMs());
  }

  of(target: string): Rested | undefined {
    return this.#rested.get(target);
  }
}

function autoscalersOf(world: World, target: string): readonly HorizontalPodAutoscaler[] {
  return autoscalersIn(world).filter(({ spec }) => spec.scaleTargetRef.name === target);
}

function isMeasured({ metrics }: World, name: string): boolean {
  const { cpu, unmeasured = 0 } = metrics.of(NAMESPACE, selectorOf(name));
  return !metrics.isAway && cpu !== undefined && unmeasured < ALL_PODS;
}

/** No cache is held back. */
function isTimely({ weather }: World, nowMs: number): boolean {
  return [...weather.lagUntilMs.values()].every((untilMs) => untilMs < nowMs);
}

/** What has to stay the same for the time to count; with "calm" where so many pods bear what they are to. */
function calmKey(world: World, deployment: Deployment): string {
  const { name = "", uid = "" } = deployment.metadata;
  const autoscalers = autoscalersOf(world, name);
  const [autoscaler] = autoscalers;
  const { replicas = 0 } = deployment.spec ?? {};
  const isCalm = autoscalers.length === 1 && neededOf(world, deployment) === replicas;
  const spec = JSON.stringify(autoscaler?.spec);
  return `${uid} ${autoscaler?.metadata.uid} ${spec} ${replicas} ${isCalm ? "calm" : ""}`;
}

/** How many pods would bear the load, as far as what there are tell of it; undefined while they do not tell. */
function neededOf(world: World, deployment: Deployment): number | undefined {
  const { name = "" } = deployment.metadata;
  const { replicas = 0 } = deployment.spec ?? {};
  const selected = podsIn(world.server.parts.store).filter(
    ({ metadata }) => metadata.labels?.["app"] === name,
  );
  const isWhole =
    replicas > 0 &&
    selected.length === replicas &&
    selected.every((pod) => isPodActive(pod) && isPodReady(pod));
  const load = world.metrics.of(NAMESPACE, selectorOf(name));
  if (!isWhole || load.cpu?.["main"] === undefined || (load.unmeasured ?? 0) > 0 || world.metrics.isAway)
    return undefined;
  // Each tells of whole thousandths.
  const milli = Math.trunc(load.cpu["main"] / replicas);
  if (Math.abs(milli - TARGET_MILLI) <= TOLERANCE_MILLI) return replicas;
  return Math.ceil((milli / TARGET_MILLI) * replicas);
}

/** When load rests there are as many pods as it takes, and the autoscaler says so. */
export function checkAutoscalers(found: Differences, world: World): void {
  const autoscalers = autoscalersIn(world);
  for (const autoscaler of autoscalers) {
    const { spec, status } = autoscaler;
    const isAlone =
      autoscalers.filter((other) => other.spec.scaleTargetRef.name === spec.scaleTargetRef.name).length === 1;
    const active = status?.conditions?.find(({ type }) => type === "ScalingActive");
    const target = deploymentsIn(world.server.parts.store).find(
      ({ metadata }) => metadata.name === spec.scaleTargetRef.name,
    );
    if (target === undefined) {
      const able = status?.conditions?.find(({ type }) => type === "AbleToScale");
      found.compare(autoscaler, "condition AbleToScale", able?.reason, "FailedGetScale");
      continue;
    }
    const replicas = target.spec?.replicas ?? 0;
    if (replicas === 0) {
      found.compare(autoscaler, "condition ScalingActive", active?.reason, "ScalingDisabled");
      continue;
    }
    const { minReplicas: least = 1, maxReplicas: most } = spec;
    if (replicas < least || replicas > most) found.add(autoscaler, `${replicas} are not ${least} to ${most}`);
    if (!isAlone) {
      found.compare(autoscaler, "condition ScalingActive", active?.reason, "AmbiguousSelector");
      continue;
    }
    const needed = neededOf(world, target);
    if (needed === undefined) continue;
    found.compare(autoscaler, "condition ScalingActive", active?.reason, "ValidMetricFound");
    found.compare(autoscaler, "status.currentReplicas", status?.currentReplicas, replicas);
    found.compare(autoscaler, "status.desiredReplicas", status?.desiredReplicas, replicas);
    const { scaleUp, scaleDown } = spec.behavior ?? {};
    const lacks = needed > replicas && replicas < most && scaleUp?.selectPolicy !== "Disabled";
    const idles = needed < replicas && replicas > least && scaleDown?.selectPolicy !== "Disabled";
    if (lacks || idles) found.add(autoscaler, `has ${replicas} pods where ${needed} would bear the load`);
  }
}
