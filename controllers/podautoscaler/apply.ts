import { semanticEqual } from "../../pkg/api/equality.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from "../../pkg/api/types/autoscaling-v2.gen.ts";
import { removeCondition } from "../../pkg/api/conditions.ts";
import { isUnreachable } from "../../pkg/client/errors.ts";
import { goMessageOf } from "../../pkg/client/go-message.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import { withCondition } from "./conditions.ts";
import type { AutoscalerContext } from "./context.ts";
import type { NewCondition } from "./normalize.ts";
import { withScaleEvent } from "./scale-events.ts";
import type { Target } from "./sync-target.ts";

export type AutoscalerSync = OwnerSync<HorizontalPodAutoscaler>;

const STATUS_TYPE = "autoscaling.v2.HorizontalPodAutoscalerStatus";

/** A sync of an autoscaler that failed, and whose fault it was. */
export class AutoscalerError extends Error {
  readonly code = "Autoscaler";
  override readonly name = "AutoscalerError";
  readonly fault: "spec" | "internal";

  constructor(message: string, fault: "spec" | "internal", options: { readonly cause: unknown }) {
    super(message, options);
    this.fault = fault;
  }
}

export interface ScaleCounts {
  readonly current: number;
  readonly desired: number;
  readonly metrics: readonly MetricStatus[];
  readonly isRescaled: boolean;
}

/** What an autoscaler's status is to become, while a sync makes it. */
export class StatusDraft {
  readonly #nowMs: number;
  #conditions: NonNullable<HorizontalPodAutoscalerStatus["conditions"]>;
  #status: HorizontalPodAutoscalerStatus;

  constructor({ status }: HorizontalPodAutoscaler, nowMs: number) {
    this.#nowMs = nowMs;
    this.#status = status ?? { desiredReplicas: 0 };
    this.#conditions = status?.conditions ?? [];
  }

  say(...conditions: readonly NewCondition[]): void {
    for (const each of conditions) this.#conditions = withCondition(this.#conditions, each, this.#nowMs);
  }

  unsay(type: NewCondition["type"]): void {
    this.#conditions = removeCondition(this.#conditions, type);
  }

  count({ current, desired, metrics, isRescaled }: ScaleCounts): void {
    const { lastScaleTime } = this.#status;
    const scaled = isRescaled ? formatTime(this.#nowMs) : lastScaleTime;
    this.#status = {
      // On the wire nothing is left out: a status that says so would be written for ever.
      ...(current !== 0 && { currentReplicas: current }),
      desiredReplicas: desired,
      ...(scaled !== undefined && { lastScaleTime: scaled }),
      ...(metrics.length > 0 && { currentMetrics: metrics }),
    };
  }

  /** The numbers stay, but for what there are. */
  countOnly(current: number, metrics: readonly MetricStatus[]): void {
    this.count({ current, desired: this.#status.desiredReplicas, metrics, isRescaled: false });
  }

  get status(): HorizontalPodAutoscalerStatus {
    return { ...this.#status, conditions: this.#conditions };
  }
}

/** Writes the status where it says something else than before. */
export async function writeStatus(
  sync: AutoscalerSync,
  { statuses, events }: AutoscalerContext,
  draft: StatusDraft,
): Promise<void> {
  const { owner, signal } = sync;
  const { status } = draft;
  if (semanticEqual(owner.status ?? { desiredReplicas: 0 }, status, STATUS_TYPE)) return;
  try {
    await statuses.updateStatusUnread(sync, { ...owner, status });
  } catch (error) {
    signal.throwIfAborted();
    const { name } = owner.metadata;
    const message = goMessageOf(error, { ...resources.horizontalPodAutoscalers, verb: "put", name });
    events.event(owner, "Warning", "FailedUpdateStatus", message);
    throw new AutoscalerError(`failed to update status for ${name}: ${message}`, "internal", {
      cause: error,
    });
  }
}

export interface Rescale {
  readonly current: number;
  readonly desired: number;
  readonly reason: string;
}

export interface Rescaled {
  readonly condition: NewCondition;
  /** Why it was not, and in words. */
  readonly failure?: unknown;
  readonly told?: string;
}

/** Asks the target for so many replicas. Tells of it, and remembers it for rules that limit the rate. */
export async function rescale(
  { owner, signal }: AutoscalerSync,
  { targets, events, past, clock }: AutoscalerContext,
  target: Target,
  { current, desired, reason }: Rescale,
): Promise<Rescaled> {
  const type = "AbleToScale";
  try {
    await targets.write(target, desired, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isUnreachable(error)) throw error;
    const text = goMessageOf(error, { ...target.resource, verb: "put", name: target.name });
    const event = `New size: ${desired}; reason: ${reason}; error: ${text}`;
    events.event(owner, "Warning", "FailedRescale", event);
    const message = `the HPA controller was unable to update the target scale: ${text}`;
    const condition = { type, status: "False", reason: "FailedUpdateScale", message } as const;
    return { condition, failure: error, told: text };
  }
  events.event(owner, "Normal", "SuccessfulRescale", `New size: ${desired}; reason: ${reason}`);
  const before = past.get(owner);
  const { behavior } = owner.spec;
  if (before !== undefined && behavior !== undefined) {
    const change = Math.abs(desired - current);
    const [field, rules] =
      desired > current ? (["up", behavior.scaleUp] as const) : (["down", behavior.scaleDown] as const);
    const after = withScaleEvent(before[field], change, rules, clock.monotonicMs());
    past.set(owner, { ...before, [field]: after });
  }
  const message = `the HPA controller was able to update the target scale to ${desired}`;
  return { condition: { type, status: "True", reason: "SucceededRescale", message } };
}
