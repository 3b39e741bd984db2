import { selectorText } from "../../pkg/api/label-selector-text.ts";
import { Quantity } from "../../pkg/api/quantity.ts";
import { parseQuantity } from "../../pkg/api/quantity-parse.ts";
import { milliValueInt64 } from "../../pkg/api/quantity-int64.ts";
import type { MetricIdentifier, MetricTarget } from "../../pkg/api/types/autoscaling-v2.gen.ts";

/** A target of an average, or of the whole value, in thousandths. */
export function targetOf(text: string): bigint {
  return milliValueInt64(parseQuantity(text));
}

/** Thousandths, as statuses have them. */
export function milliText(value: bigint): string {
  return new Quantity(value, -3, "DecimalSI").toString();
}

/** Thousandths of a resource: memory is written as metrics-server does it. */
export function resourceText(resource: string, value: bigint): string {
  return new Quantity(value, -3, resource === "memory" ? "BinarySI" : "DecimalSI").toString();
}

/** The metric as reasons for scaling name it. */
export function externalName({ name, selector }: MetricIdentifier): string {
  return `external metric ${name}(${selectorText(selector)})`;
}

export function resourceName(resource: string, target: MetricTarget, isOfContainer: boolean): string {
  if (target.averageValue !== undefined) return `${resource} resource`;
  return `${resource} ${isOfContainer ? "container " : ""}resource utilization (percentage of request)`;
}

/** What a status repeats of the metric. */
export function identified({ name, selector }: MetricIdentifier): MetricIdentifier {
  return { name, ...(selector && { selector }) };
}
