import { splitKey } from "../../pkg/api/object.ts";
import type { Metrics } from "../../pkg/metrics/metrics.ts";
import type { VolumeUses } from "./volume-uses.ts";

/** So many pods may share a volume that each pair of them would be more than anybody reads, or can be served. */
const MOST_CONFLICTS = 5_000;

export function showConflicts(metrics: Metrics, uses: VolumeUses): void {
  const gauge = metrics.gauge({
    name: "selinux_warning_controller_selinux_volume_conflict",
    help: "1 for each conflict between two pods that use the same volume, as it looks to the first.",
    labels: [
      "property",
      "pod1_namespace",
      "pod1_name",
      "pod1_value",
      "pod2_namespace",
      "pod2_name",
      "pod2_value",
    ],
    stability: "ALPHA",
  });
  metrics.onCollect(() => {
    gauge.reset();
    for (const { property, pod, value, otherPod, otherValue } of uses.conflicts().take(MOST_CONFLICTS)) {
      const [one, other] = [splitKey(pod), splitKey(otherPod)];
      gauge.set(1, {
        property,
        pod1_namespace: one.namespace ?? "",
        pod1_name: one.name,
        pod1_value: value,
        pod2_namespace: other.namespace ?? "",
        pod2_name: other.name,
        pod2_value: otherValue,
      });
    }
  });
}
