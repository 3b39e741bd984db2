import { splitKey } from "../../pkg/api/object.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Gauge, Labels, Metrics } from "../../pkg/metrics/metrics.ts";
import type { Places } from "./places.ts";
import { unavailableReplicas } from "./rolling.ts";
import { maxUnavailable } from "./stateful-set.ts";

/** What is shown of how many pods a StatefulSet may miss, and does. */
export interface UnavailabilityGauges {
  readonly allowed: Gauge;
  readonly actual: Gauge;
}

/** They are known to the metrics in any case; undefined when nothing is to be shown in them. */
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

/** A part of the series' names; one StatefulSet has it as long as it lives, the next of its name may have the other. */
const POLICIES = ["", "OrderedReady", "Parallel"];

export function measureUnavailability(
  gauges: UnavailabilityGauges,
  set: StatefulSet,
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

/** The StatefulSet is gone, and its series with it: clusters make and delete them without end. */
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
