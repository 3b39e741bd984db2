import { splitKey, type Stored } from "../../pkg/api/object.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Gauge, Labels, Metrics } from "../../pkg/metrics/metrics.ts";
import type { Places } from "./places.ts";
import { unavailableReplicas } from "./rolling.ts";
import { maxUnavailable } from "./stateful-set.ts";

/** How many pods of a StatefulSet may be unavailable, and how many are. */
export interface UnavailabilityGauges {
  readonly allowed: Gauge;
  readonly actual: Gauge;
}

/** Registers the gauges in any case. Undefined when nothing is to be shown in them. */
export function unavailabilityGauges(metrics: Metrics, isOn: boolean): UnavailabilityGauges | undefined {
  const labels = ["statefulset_namespace", "statefulset_name", "pod_management_policy"];
  const allowed = metrics.gauge({
    name: "statefulset_controller_statefulset_max_unavailable",
    help: "How many pods of a StatefulSet may be unavailable in a rolling update.",
    labels,
    stability: "ALPHA",
  });
  const actual = metrics.gauge({
    name: "statefulset_controller_statefulset_unavailable_replicas",
    help: "How many pods of a StatefulSet are missing or unavailable.",
    labels,
    stability: "ALPHA",
  });
  return isOn ? { allowed, actual } : undefined;
}

/** The values of a label. A StatefulSet keeps its policy; the next one of its name may have another. */
const POLICIES = ["", "OrderedReady", "Parallel"];

export function measureUnavailability(
  gauges: UnavailabilityGauges,
  set: Stored<StatefulSet>,
  places: Places,
  nowMs: number,
): void {
  const policy = set.spec?.podManagementPolicy ?? "";
  const series = labels(set.metadata.namespace, set.metadata.name, policy);
  gauges.allowed.set(maxUnavailable(set), series);
  gauges.actual.set(unavailableReplicas(set, places, nowMs), series);
  const { namespace, name } = set.metadata;
  const others = POLICIES.filter((other) => other !== policy);
  remove(
    gauges,
    others.map((other) => labels(namespace, name, other)),
  );
}

/** Removes the series of a StatefulSet that is gone: clusters create and delete them without end. */
export function forgetUnavailability(gauges: UnavailabilityGauges, key: string): void {
  const { namespace, name } = splitKey(key);
  remove(
    gauges,
    POLICIES.map((policy) => labels(namespace, name, policy)),
  );
}

function remove(gauges: UnavailabilityGauges, series: readonly Labels[]): void {
  for (const one of series) {
    gauges.allowed.remove(one);
    gauges.actual.remove(one);
  }
}

function labels(namespace = "", name = "", policy = ""): Labels {
  return { statefulset_namespace: namespace, statefulset_name: name, pod_management_policy: policy };
}
