import { wrapInt64 } from "../../pkg/api/go-numbers.ts";
import { forEachInSteps, type Steps } from "../../pkg/api/steps.ts";
import { type Json, items, child, text, integer } from "../../pkg/api/json.ts";
import { parseDurationMs } from "../../pkg/api/duration.ts";
import { isWrittenQuantity, parseQuantity } from "../../pkg/api/quantity-parse.ts";
import { milliValueInt64 } from "../../pkg/api/quantity-int64.ts";
import { parseTime } from "../../pkg/api/time.ts";

/** What was measured of a pod, over a window that ends at a time. Values are thousandths, in 64 bits. */
export interface PodMetric {
  readonly value: bigint;
  readonly timeMs: number;
  readonly windowMs: number;
}

/** By name of the pod. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

/** The time of Go that is not set: the begin of the year 1. */
export const UNSET_MS = -62_135_596_800_000;
/** Of custom metrics that do not say theirs. */
const DEFAULT_WINDOW_MS = 60_000;

/** What pods use of a resource, all of their containers together. A pod of which one does not say is left out. */
export function* usageOfPods(list: readonly Json[], resource: string): Steps<PodMetrics> {
  const metrics = new Map<string, PodMetric>();
  yield* forEachInSteps(list, (item) => {
    const containers = items(item, "containers");
    const amounts = containers.map((container) => amountOf(child(container, "usage"), resource));
    const known = amounts.filter((amount) => amount !== undefined);
    if (containers.length === 0 || known.length < containers.length) return;
    put(metrics, item, wrapInt64(known.reduce((sum, amount) => sum + amount, 0n)));
  });
  return metrics;
}

/** What the container of this name uses in each pod. */
export function* usageOfContainers(
  list: readonly Json[],
  resource: string,
  container: string,
): Steps<PodMetrics> {
  const metrics = new Map<string, PodMetric>();
  yield* forEachInSteps(list, (item) => {
    const found = items(item, "containers").find((each) => text(each, "name") === container);
    const amount = amountOf(child(found, "usage"), resource);
    if (amount !== undefined) put(metrics, item, amount);
  });
  return metrics;
}

/** The values of a custom metric, by the objects that they describe. */
export function* valuesOfObjects(list: readonly Json[]): Steps<PodMetrics> {
  const metrics = new Map<string, PodMetric>();
  yield* forEachInSteps(list, (item) => {
    const name = text(child(item, "describedObject"), "name");
    metrics.set(name, { value: valueOf(item), timeMs: timeOf(item), windowMs: windowSecondsOf(item) });
  });
  return metrics;
}

/** The value of one custom or external metric. */
export function valueOf(item: Json): bigint {
  return amountOf(item, "value") ?? 0n;
}

function put(metrics: Map<string, PodMetric>, item: Json, value: bigint): void {
  const windowMs = parseDurationMs(text(item, "window") || "0s");
  metrics.set(text(child(item, "metadata"), "name"), { value, timeMs: timeOf(item), windowMs });
}

function timeOf(item: Json): number {
  const time = text(item, "timestamp");
  return (time === "" ? undefined : parseTime(time)) ?? UNSET_MS;
}

function windowSecondsOf(item: Json): number {
  const seconds = integer(item, "windowSeconds") ?? integer(item, "window");
  return seconds === undefined ? DEFAULT_WINDOW_MS : seconds * 1_000;
}

function amountOf(amounts: Json | undefined, name: string): bigint | undefined {
  const written = amounts?.[name];
  return isWrittenQuantity(written) ? milliValueInt64(parseQuantity(written)) : undefined;
}
