import type { HPAScalingPolicy, HPAScalingRules } from "../../pkg/api/types/autoscaling-v2.gen.ts";
import type { Pod, PodCondition } from "../../pkg/api/types/core-v1.gen.ts";
import { parseQuantity } from "../../pkg/api/quantity-parse.ts";
import { type Random, randomBelow } from "../../pkg/clock/random.ts";

/** The time of all cases. Their times lie half a second beside whole ones, so that no comparison hangs on a moment. */
export const NOW = Date.UTC(2026, 10, 19, 8);

export interface Sample {
  /** An int64. */
  readonly Value: string;
  readonly AgoMs: number;
  readonly WindowMs: number;
}

export interface MetricCase {
  readonly Kind: "metric";
  readonly Source:
    | "utilization"
    | "average"
    | "pods"
    | "object"
    | "objectPerPod"
    | "external"
    | "externalPerPod";
  readonly Resource: string;
  readonly Container: string;
  readonly Current: number;
  readonly Status: number;
  readonly Target: string;
  readonly Percent: number;
  readonly Down: number;
  readonly Up: number;
  readonly Pods: readonly Pod[];
  readonly Metrics: Readonly<Record<string, Sample>>;
  readonly Values: readonly string[];
  readonly CPUInitMs: number;
  readonly ReadyMs: number;
  readonly NowMs: number;
}

export interface Past {
  readonly Replicas: number;
  readonly AgoMs: number;
  readonly Outdated?: boolean;
}

export interface StepCase {
  readonly Kind: "step" | "event";
  readonly Behavior: { readonly scaleUp: HPAScalingRules; readonly scaleDown: HPAScalingRules } | null;
  readonly Current: number;
  readonly Wanted: number;
  readonly Minimum: number;
  readonly Maximum: number;
  readonly WindowMs: number;
  readonly Recommendations: readonly Past[];
  readonly UpEvents: readonly Past[];
  readonly DownEvents: readonly Past[];
}

export interface QuantityCase {
  readonly Kind: "quantity";
  readonly Text: string;
}

export type Case = MetricCase | StepCase | QuantityCase;

interface PodTraits {
  readonly index: number;
  readonly resource: string;
  readonly isWithout: boolean;
  /** One of several pods that have no such container would be told of. */
  readonly hasB: boolean;
}

/** Less than everyday sizes, and up to beyond what 64 bits hold. */
const EVERYDAY = 0.93;
const SELDOM = 0.4;
const LARGE = [
  2n ** 63n - 1n,
  2n ** 62n,
  2n ** 53n + 1n,
  2n ** 53n,
  2n ** 31n,
  10n ** 18n,
  10n ** 15n,
  10n ** 9n,
  2n,
  0n,
  -(2n ** 62n),
  -(2n ** 63n),
  -5n,
] as const;
const REQUESTS = [
  "0",
  "9E",
  "8Ei",
  "1n",
  "1u",
  "999n",
  "1500u",
  "9223372036854775807",
  "9007199254740993m",
  "1e18",
] as const;

/** What an autoscaler may have to decide, by chance: mostly of everyday sizes, and some as large as numbers are. */
export class Cases {
  readonly #random: Random;
  /** How many of the numbers of the case under way are of everyday sizes. */
  #everyday = EVERYDAY;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): Case {
    this.#everyday = this.#isLikely(0.6) ? EVERYDAY : SELDOM;
    const which = this.#below(20);
    if (which < 10) return this.#metric();
    if (which < 17) return this.#step(this.#isLikely(0.85) ? "step" : "event");
    return { Kind: "quantity", Text: this.#quantity() };
  }

  #below(bound: number): number {
    return randomBelow(this.#random, bound);
  }

  #isLikely(share: number): boolean {
    return this.#random.next() < share;
  }

  #pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.#below(values.length)] ?? values[0];
  }

  #list<T>(most: number, item: (index: number) => T): T[] {
    return Array.from({ length: this.#below(most + 1) }, (_, index) => item(index));
  }

  /** Half seconds, so that nothing is exactly as old as a period. */
  #agoMs(mostSeconds: number): number {
    return this.#below(mostSeconds) * 1_000 + 500;
  }

  #int32(): number {
    if (this.#isLikely(this.#everyday)) return this.#below(30);
    return this.#pick([0, 1, 1_000, 5_000, 2 ** 20, 2 ** 30, 2 ** 31 - 1, 2 ** 31 - 2]);
  }

  #int64(usual: number): string {
    if (this.#isLikely(this.#everyday)) return String(this.#below(usual));
    const large = this.#pick(LARGE);
    return String(BigInt.asIntN(64, large - BigInt(this.#below(3))));
  }

  #metric(): MetricCase {
    const Resource = this.#pick(["cpu", "cpu", "memory"]);
    const container = this.#pick(["", "", "a", "b"]);
    // Of many pods it is left to chance which one is told to be without.
    const without = this.#isLikely(0.1) ? this.#below(3) : -1;
    const Pods = this.#list(8, (index) =>
      this.#pod({ index, resource: Resource, isWithout: index === without, hasB: container === "b" }),
    );
    const Metrics: Readonly<Record<string, Sample>> = Object.fromEntries<Sample>(
      [...Pods.map(({ metadata }) => metadata.name ?? ""), "gone"]
        .filter(() => this.#isLikely(0.8))
        .map((name) => [
          name,
          {
            Value: this.#int64(2_000),
            AgoMs: this.#agoMs(200),
            WindowMs: this.#pick([15_000, 30_000, 60_000]),
          },
        ]),
    );
    return {
      Kind: "metric",
      Source: this.#pick([
        "utilization",
        "utilization",
        "utilization",
        "average",
        "pods",
        "object",
        "objectPerPod",
        "external",
        "externalPerPod",
      ]),
      Resource,
      Container: container,
      Current: this.#isLikely(0.7) ? Pods.length : this.#int32(),
      Status: this.#isLikely(0.7) ? Pods.length : this.#int32(),
      Target: this.#target(),
      Percent: this.#isLikely(this.#everyday) ? 1 + this.#below(150) : this.#pick([1, 300, 2 ** 31 - 1]),
      Down: this.#pick([0, 0.05, 0.1, 0.1, 0.1, 0.33, 0.9]),
      Up: this.#pick([0, 0.01, 0.1, 0.1, 0.1, 0.5, 2]),
      Pods,
      Metrics,
      Values: Array.from({ length: 1 + this.#below(3) }, () => this.#int64(30_000)),
      CPUInitMs: this.#pick([0, 120_000, 300_000]),
      ReadyMs: this.#pick([0, 10_000, 30_000]),
      NowMs: NOW,
    };
  }

  #pod({ index, resource, isWithout, hasB }: PodTraits): Pod {
    const start = this.#agoMs(600);
    const phase = this.#pick(["Running", "Running", "Running", "Running", "Pending", "Failed", "Succeeded"]);
    const container = (name: string): { name: string; resources?: object } => ({
      name,
      ...(!isWithout && { resources: { requests: { [resource]: this.#request(resource) } } }),
    });
    const conditions: PodCondition[] = this.#isLikely(0.9)
      ? [
          {
            type: "Ready",
            status: this.#pick(["True", "True", "True", "False", "Unknown"]),
            lastTransitionTime: timeOf(Math.max(0, start - this.#below(120) * 1_000)),
          },
        ]
      : [];
    return {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: `pod-${index}`,
        namespace: "team",
        ...(this.#isLikely(0.05) && { deletionTimestamp: timeOf(500) }),
      },
      spec: {
        containers: [container("a"), ...(hasB || this.#isLikely(0.5) ? [container("b")] : [])],
        ...(this.#isLikely(0.2) && {
          initContainers: [{ ...container("c"), ...(this.#isLikely(0.5) && { restartPolicy: "Always" }) }],
        }),
        ...(this.#isLikely(0.1) && { resources: { requests: { [resource]: this.#request(resource) } } }),
        ...(this.#isLikely(0.1) && { overhead: { [resource]: this.#request(resource) } }),
      },
      status: { phase, conditions, ...(this.#isLikely(0.95) && { startTime: timeOf(start) }) },
    };
  }

  /** What each pod is to bear is never nothing: API servers refuse that. */
  #target(): string {
    const target = this.#isLikely(0.5) ? String(1 + this.#below(3_000)) : this.#int64(3_000);
    return BigInt(target) > 0n ? target : "1";
  }

  #request(resource: string): string {
    if (!this.#isLikely(this.#everyday + 0.04)) return this.#pick(REQUESTS);
    return resource === "cpu" ? `${50 + this.#below(2_000)}m` : `${1 + this.#below(512)}Mi`;
  }

  #step(Kind: "step" | "event"): StepCase {
    const Minimum = this.#below(5);
    return {
      Kind,
      Behavior: this.#isLikely(0.75)
        ? { scaleUp: this.#rules(true), scaleDown: this.#rules(this.#isLikely(0.8)) }
        : null,
      Current: this.#int32(),
      Wanted: this.#int32(),
      Minimum,
      Maximum: Math.max(1, Minimum, this.#int32()),
      WindowMs: this.#pick([0, 60_000, 300_000]),
      Recommendations: this.#list(6, () => ({ Replicas: this.#int32(), AgoMs: this.#agoMs(700) })),
      UpEvents: this.#list(4, () => this.#change()),
      DownEvents: this.#list(4, () => this.#change()),
    };
  }

  #change(): Past {
    return { Replicas: this.#int32(), AgoMs: this.#agoMs(200), Outdated: this.#isLikely(0.2) };
  }

  #rules(hasWindow: boolean): HPAScalingRules {
    const policy = (): HPAScalingPolicy => ({
      type: this.#pick(["Pods", "Percent"]),
      value: this.#isLikely(0.95) ? 1 + this.#below(200) : 2 ** 31 - 1,
      periodSeconds: this.#pick([15, 60, 120, 1_800]),
    });
    return {
      selectPolicy: this.#pick(["Max", "Max", "Min", "Disabled"]),
      policies: [policy(), ...this.#list(2, policy)],
      ...(hasWindow && { stabilizationWindowSeconds: this.#pick([0, 0, 60, 300, 3_600]) }),
    };
  }

  /** In the form in which API servers write it. */
  #quantity(): string {
    if (this.#everyday === SELDOM && this.#isLikely(0.7)) return this.#largeQuantity();
    const isLong = this.#isLikely(0.2);
    const digits = String(this.#below(isLong ? 10 ** 15 : 10 ** (1 + this.#below(6))));
    const fraction = this.#isLikely(0.3) ? `.${this.#below(1_000)}` : "";
    const suffix = isLong
      ? this.#pick(["", "m", "u", "k"])
      : this.#pick(["", "m", "u", "n", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "e3", "e-3"]);
    const text = parseQuantity(`${digits}${fraction}${suffix}`).toString();
    return suffix === "" && this.#isLikely(0.3) ? `-${text}` : text;
  }

  /** Of up to thirty digits, down to less than a billionth, and around the limits of 64 bits. */
  #largeQuantity(): string {
    const limit = this.#pick([2n ** 63n, 2n ** 63n / 1_000n, 2n ** 53n, 2n ** 60n, 10n ** 18n, 10n ** 24n]);
    const whole = this.#isLikely(0.5)
      ? String(limit + BigInt(this.#below(7) - 3))
      : Array.from({ length: 1 + this.#below(30) }, () => this.#below(10)).join("");
    const fraction = this.#isLikely(0.3) ? `.${this.#below(10 ** 9)}` : "";
    const sign = this.#isLikely(0.2) ? "-" : "";
    const suffix = this.#pick([
      "",
      "m",
      "u",
      "n",
      "k",
      "M",
      "G",
      "T",
      "P",
      "E",
      "Ki",
      "Gi",
      "Ei",
      "e3",
      "e-9",
      "e12",
    ]);
    return parseQuantity(`${sign}${whole}${fraction}${suffix}`).toString();
  }
}

function timeOf(agoMs: number): string {
  return new Date(NOW - agoMs).toISOString();
}
