import { scaledValue } from "../../../pkg/api/int-or-string.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { isPodReady } from "../../../pkg/api/pod.ts";
import { parseTime } from "../../../pkg/api/time.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import type { PodDisruptionBudget } from "../../../pkg/api/types/policy-v1.gen.ts";
import { BUCKETS } from "../world/history.ts";
import type { World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";
import { RecentObjects } from "./recent-objects.ts";
import type { Write } from "./write.ts";

const SCALED = ["deployments", "replicasets", "replicationcontrollers", "statefulsets"];
const KINDS = ["pods", "poddisruptionbudgets", ...SCALED];
/** For so long after its eviction a pod counts as gone, even if nobody has deleted it. */
const EVICTION_MS = 120_000;

type Scaled = ApiObject & { readonly spec?: { readonly replicas?: number } };

/**
 * No budget says that more may be evicted than its pods bear: not more healthy ones than there can have been, and not
 * fewer required than their owners can have asked for. A status is only written over the budget that it was made of, so
 * that the budget itself is known for certain.
 */
export class BudgetSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  /** By uid. */
  readonly #pods: RecentObjects<Pod>;
  readonly #scaled: readonly RecentObjects<Scaled>[];

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    this.#beliefs = beliefs;
    const recent = <T extends ApiObject>(plural: string): RecentObjects<T> =>
      new RecentObjects<T>(world, BUCKETS[plural] ?? plural, ({ metadata }) => metadata.uid ?? "");
    this.#pods = recent<Pod>("pods");
    this.#scaled = SCALED.map((plural) => recent<Scaled>(plural));
  }

  judge({ client, facts, event, process, line }: Write): void {
    if (client !== "disruption-controller" || facts.resource !== "poddisruptionbudgets") return;
    const budget: PodDisruptionBudget = event.previous ?? event.object;
    const { status } = event.object as PodDisruptionBudget;
    const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = status ?? {};
    // What could not be counted may not be disturbed; the numbers are those of the last time.
    const isFailed = status?.conditions?.some(({ reason }) => reason === "SyncFailed") === true;
    const allowed = isFailed || expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
    if (disruptionsAllowed > allowed)
      this.#world.violate(
        `${line}: allows ${disruptionsAllowed} evictions where there is room for ${allowed}`,
      );
    if (isFailed) return;
    const horizonMs = this.#beliefs.horizonMs(process, KINDS);
    const healthy = this.#mostHealthy(budget, horizonMs, process.machine.nowMs());
    if (currentHealthy > healthy)
      this.#world.violate(
        `${line}: counts ${currentHealthy} healthy pods, and there were at most ${healthy}`,
      );
    const desired = this.#leastDesired(budget, horizonMs);
    if (desiredHealthy < desired)
      this.#world.violate(`${line}: requires ${desiredHealthy} healthy pods, and should at least ${desired}`);
  }

  /** Pods that may have been seen ready, and were not known to be on their way out. */
  #mostHealthy(budget: PodDisruptionBudget, horizonMs: number, nowMs: number): number {
    const evicted = Object.entries(budget.status?.disruptedPods ?? {});
    const awaited = new Set(
      evicted.filter(([, since]) => (parseTime(since) ?? 0) + EVICTION_MS > nowMs).map(([name]) => name),
    );
    return this.#pods.keys.filter((uid) =>
      this.#pods
        .since(uid, horizonMs)
        .some(
          (pod) =>
            pod !== undefined &&
            covers(budget, pod) &&
            pod.metadata.deletionTimestamp === undefined &&
            !awaited.has(pod.metadata.name ?? "") &&
            isPodReady(pod),
        ),
    ).length;
  }

  /** By what owners asked for whose pods the budget has covered all the time. */
  #leastDesired(budget: PodDisruptionBudget, horizonMs: number): number {
    const { minAvailable, maxUnavailable } = budget.spec ?? {};
    if (typeof minAvailable === "number") return minAvailable;
    const owners = new Set<string>();
    for (const uid of this.#pods.keys) {
      const states = this.#pods.since(uid, horizonMs);
      const [owner] = states.map((pod) => pod && controllerOf(pod)?.uid);
      const isCertain = states.every(
        (pod) => pod !== undefined && covers(budget, pod) && controllerOf(pod)?.uid === owner,
      );
      if (owner !== undefined && isCertain) owners.add(this.#topOf(owner, horizonMs));
    }
    const expected = [...owners].reduce((sum, owner) => sum + this.#leastAsked(owner, horizonMs), 0);
    if (maxUnavailable !== undefined)
      return Math.max(0, expected - scaledValue(maxUnavailable, expected, "up"));
    return minAvailable === undefined ? 0 : scaledValue(minAvailable, expected, "up");
  }

  /** The Deployment of a ReplicaSet; "" when that is not certain. */
  #topOf(owner: string, horizonMs: number): string {
    const above = new Set(this.#states(owner, horizonMs).map((state) => state && controllerOf(state)?.uid));
    if (above.size !== 1) return "";
    const [only] = above;
    return only ?? owner;
  }

  #leastAsked(owner: string, horizonMs: number): number {
    const states = this.#states(owner, horizonMs);
    return Math.min(...states.map((state) => (state === undefined ? 0 : (state.spec?.replicas ?? 1))));
  }

  #states(uid: string, horizonMs: number): readonly (Scaled | undefined)[] {
    const known = this.#scaled.find((kind) => kind.has(uid));
    return known?.since(uid, horizonMs) ?? [undefined];
  }
}

function covers({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean {
  const labels = Object.entries(spec?.selector?.matchLabels ?? {});
  return (
    pod.metadata.namespace === metadata.namespace &&
    labels.every(([key, value]) => pod.metadata.labels?.[key] === value)
  );
}
