import type { Deployment } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { HorizontalPodAutoscaler, HPAScalingRules } from "../../../pkg/api/types/autoscaling-v2.gen.ts";
import { DOWN_WINDOW_MS } from "../world/controllers.ts";
import { BUCKETS } from "../world/history.ts";
import type { ManagerProcess } from "../world/process.ts";
import type { World } from "../world/world.ts";
import { AutoscalerRest } from "./autoscaler-rest.ts";
import type { Beliefs } from "./beliefs.ts";
import { RecentByKey } from "./recent.ts";
import { stateAfter, type Write } from "./write.ts";

const CLIENT = "horizontal-pod-autoscaler";
/** Processes' clocks are as much as this faster than the world's. */
const FASTEST = 1.02;
/** A look at who leads may be so late. */
const LOOK_MS = 1_000;
/** Writes take effect so long after the time that their process notes for them, on a bad day. */
const NOTED_MS = 8_000;

const NO_RULES: HPAScalingRules = {};

type Spec = HorizontalPodAutoscaler["spec"];

interface Version {
  readonly sinceMs: number;
  /** Undefined: it is gone. */
  readonly spec: Spec | undefined;
  /** Since when there are the same rules. */
  readonly rulesSinceMs: number;
}

/** What an autoscaler of the target may have been, for whoever scales. */
interface Candidate {
  readonly uid: string;
  readonly spec: Spec;
  readonly rulesSinceMs: number;
}

interface Scaling {
  readonly atMs: number;
  readonly by: string;
  readonly change: number;
  /** Uids of the autoscalers that may have asked for it: what others have done is in no other's memory. */
  readonly of: ReadonlySet<string>;
}

/** What autoscalers must never make of a target. */
export class AutoscalerSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  readonly #rest: AutoscalerRest;
  /** By uid of the autoscaler. */
  readonly #specs = new Map<string, Version[]>();
  readonly #replicas = new RecentByKey();
  /** What a process has scaled of a target, and knows that it has. By name of the target. */
  readonly #scalings = new Map<string, Scaling[]>();
  /** By name of the process: two may believe that they lead, one of them paused. */
  readonly #leadsSinceMs = new Map<string, number>();

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    this.#beliefs = beliefs;
    this.#rest = new AutoscalerRest(world, beliefs);
    const { store } = world.server.parts;
    store.subscribe(BUCKETS["horizontalpodautoscalers"] ?? "", (event) => {
      const { uid = "" } = event.object.metadata;
      const { spec } = (stateAfter(event) ?? {}) as Partial<HorizontalPodAutoscaler>;
      const versions = this.#specs.get(uid) ?? [];
      const last = versions.at(-1);
      const sinceMs = world.clock.monotonicMs();
      const isSame = last !== undefined && textOf(last.spec?.behavior) === textOf(spec?.behavior);
      if (last === undefined || textOf(last.spec) !== textOf(spec))
        versions.push({ sinceMs, spec, rulesSinceMs: isSame ? last.rulesSinceMs : sinceMs });
      this.#specs.set(uid, versions);
    });
    store.subscribe(BUCKETS["deployments"] ?? "", (event) => {
      const { metadata, spec } = event.object as Deployment;
      this.#replicas.set(metadata.name ?? "", world.clock.monotonicMs(), spec?.replicas ?? 0);
    });
    const look = (): void => {
      for (const { name, isLeading } of world.processes) {
        if (!isLeading) this.#leadsSinceMs.delete(name);
        else if (!this.#leadsSinceMs.has(name))
          this.#leadsSinceMs.set(name, world.clock.monotonicMs() - LOOK_MS);
      }
      world.clock.setTimer(LOOK_MS, look);
    };
    world.clock.setTimer(LOOK_MS, look);
  }

  judge({ bucket, event, facts, process, client, ambiguous, line }: Write): void {
    if (client !== CLIENT || bucket !== BUCKETS["deployments"] || facts.subresource !== "scale") return;
    const { name = "" } = event.object.metadata;
    const before = replicasOf(event.previous);
    const after = replicasOf(event.object);
    const horizonMs = this.#beliefs.horizonMs(process, ["horizontalpodautoscalers"]);
    const candidates = this.#candidatesOf(name, horizonMs);
    const possible = candidates.map(({ spec }) => spec);
    const text = `${line}: from ${before} to ${after}`;
    if (!possible.some(({ minReplicas = 1, maxReplicas }) => after >= minReplicas && after <= maxReplicas))
      this.#world.violate(`${text}: within no range that an autoscaler of it has had`);
    const isClamped = possible.some(
      ({ minReplicas = 1, maxReplicas }) => before > maxReplicas || before < minReplicas,
    );
    // Whoever does not know what there was may have seen another number.
    if (!isClamped && !this.#beliefs.isTrouble()) {
      if (this.#rest.unmeasuredMs(name) > NOTED_MS)
        this.#world.violate(`${text}: though nothing was measured`);
      if (!candidates.some((candidate) => this.#isWithinRate(candidate, { name, before, after, process })))
        this.#world.violate(`${text}: faster than any policy that an autoscaler of it has had`);
      if (after < before) this.#checkWindow({ name, after, text, process, candidates });
    }
    const of = new Set(candidates.map(({ uid }) => uid));
    if (!ambiguous) this.#note(name, { atMs: this.#nowMs, by: process.name, change: after - before, of });
  }

  get #nowMs(): number {
    return this.#world.clock.monotonicMs();
  }

  /** Of the autoscalers of the target, what held at that time or later. */
  #candidatesOf(target: string, sinceMs: number): readonly Candidate[] {
    return [...this.#specs].flatMap(([uid, versions]) => {
      const first = versions.findLastIndex((version) => version.sinceMs < sinceMs);
      return versions
        .slice(Math.max(0, first))
        .flatMap(({ spec, rulesSinceMs }) =>
          spec?.scaleTargetRef.name === target ? [{ uid, spec, rulesSinceMs }] : [],
        );
    });
  }

  #note(name: string, scaling: Scaling): void {
    const scalings = this.#scalings.get(name) ?? [];
    scalings.push(scaling);
    this.#scalings.set(name, scalings);
  }

  #isWithinRate(
    { uid, spec: { behavior }, rulesSinceMs }: Candidate,
    { name, before, after, process }: Scaled & { readonly process: ManagerProcess },
  ): boolean {
    const isUp = after > before;
    if (behavior === undefined) return !isUp || after <= Math.max(2 * before, 4);
    const rules = isUp ? behavior.scaleUp : behavior.scaleDown;
    const { policies = [], selectPolicy } = rules ?? NO_RULES;
    if (selectPolicy === "Disabled") return false;
    const own = (this.#scalings.get(name) ?? []).filter(({ by }) => by === process.name);
    const limits = policies.map(({ type, value, periodSeconds }) => {
      // What lies near the period's beginning may be in it or not, and by other rules less may have been remembered:
      // whatever allows more.
      const sureMs = this.#nowMs - (periodSeconds * 1_000) / FASTEST + NOTED_MS;
      const possibleMs = this.#nowMs - periodSeconds * 1_000 * FASTEST - NOTED_MS;
      const counted = own.filter(({ atMs, change, of }) => {
        const isSure = atMs >= Math.max(sureMs, rulesSinceMs) && of.size === 1;
        return of.has(uid) && (isSure || (atMs >= possibleMs && change > 0 !== isUp));
      });
      const changed = counted.reduce((sum, { change }) => sum + change, 0);
      const start = before - changed;
      if (type === "Pods") return isUp ? start + value : start - value;
      return isUp ? Math.ceil(start * (1 + value / 100)) : Math.trunc(start * (1 - value / 100));
    });
    const widest = isUp === (selectPolicy !== "Min") ? Math.max(...limits) : Math.min(...limits);
    return isUp ? after <= Math.max(widest, before) : after >= Math.min(widest, before);
  }

  #checkWindow({ name, after, text, process, candidates }: Shrunk): void {
    const faults = candidates.map((candidate) => this.#faultOf(candidate, name, after, process));
    const [first] = faults;
    if (first !== undefined && faults.every((fault) => fault !== undefined))
      this.#world.violate(`${text}: ${first}`);
  }

  /** A process that has not watched for as long as the window stays with what there was when it began to. */
  #faultOf(
    { uid, spec, rulesSinceMs }: Candidate,
    name: string,
    after: number,
    process: ManagerProcess,
  ): string | undefined {
    const nowMs = this.#nowMs;
    const sinceMs = nowMs - downWindowMs(spec) / FASTEST + NOTED_MS;
    const leadsMs = this.#leadsSinceMs.get(process.name) ?? nowMs;
    const watchesMs = Math.max(leadsMs, this.#specs.get(uid)?.[0]?.sinceMs ?? nowMs);
    // By other rules less may have been remembered.
    if (watchesMs > sinceMs && watchesMs >= rulesSinceMs) {
      // The last one is this very write.
      const fewest = Math.min(...this.#replicas.of(name).since(watchesMs).slice(0, -1));
      const seconds = Math.round((nowMs - watchesMs) / 1_000);
      if (after < fewest) return `only ${seconds} s after it began to look, when there were ${fewest}`;
    }
    const rested = this.#rest.of(name);
    const isOwn = rested?.process === process.name && rested.autoscaler === uid;
    if (isOwn && rested.untilMs > Math.max(sinceMs, rulesSinceMs) && after < rested.replicas)
      return `${rested.replicas} were needed within the window`;
    return undefined;
  }
}

interface Scaled {
  readonly name: string;
  readonly before: number;
  readonly after: number;
}

interface Shrunk {
  readonly name: string;
  readonly after: number;
  readonly text: string;
  readonly process: ManagerProcess;
  readonly candidates: readonly Candidate[];
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

function replicasOf(object: Deployment | undefined): number {
  return object?.spec?.replicas ?? 0;
}

function downWindowMs({ behavior }: Spec): number {
  const seconds = behavior?.scaleDown?.stabilizationWindowSeconds;
  return seconds === undefined ? DOWN_WINDOW_MS : seconds * 1_000;
}
