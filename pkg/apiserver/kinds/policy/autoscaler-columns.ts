import type { Json } from "../../../api/json.ts";
import { child, count, descend, integer, items, text } from "../../../api/json.ts";
import type { TableColumn } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

/** The field that holds a metric of each type. */
export const metricSources: Readonly<Record<string, string>> = {
  ContainerResource: "containerResource",
  External: "external",
  Object: "object",
  Pods: "pods",
  Resource: "resource",
};

function metricCell(autoscaler: Json, metric: Json, index: number): string {
  const key = metricSources[text(metric, "type")] ?? "";
  const target = descend(metric, key, "target");
  const current = descend(items(child(autoscaler, "status"), "currentMetrics")[index], key, "current");
  const shown = (field: string, unit = ""): string => {
    const value = current?.[field];
    return typeof value === "string" || typeof value === "number" ? `${value}${unit}` : "<unknown>";
  };
  const name =
    key === "resource" || key === "containerResource" ? `${text(child(metric, key), "name")}: ` : "";
  const average = target?.["averageValue"];
  if (typeof average === "string") {
    const suffix = key === "external" || key === "object" ? " (avg)" : "";
    return `${name}${shown("averageValue")}/${average}${suffix}`;
  }
  if (name !== "") {
    const utilization = integer(target, "averageUtilization");
    return `${name}${shown("averageUtilization", "%")}/${utilization === undefined ? "<auto>" : `${utilization}%`}`;
  }
  return `${shown("value")}/${text(target, "value")}`;
}

function targetsCell(autoscaler: Json): string {
  const metrics = items(child(autoscaler, "spec"), "metrics");
  if (metrics.length === 0) return "<none>";
  const shown = metrics.slice(0, 2).map((metric, index) => metricCell(autoscaler, metric, index));
  const more = metrics.length > 2 ? ` + ${metrics.length - 2} more...` : "";
  return `${shown.join(", ")}${more}`;
}

export const autoscalerColumns: readonly TableColumn[] = [
  nameColumn,
  column("Reference", (autoscaler) => {
    const reference = descend(autoscaler, "spec", "scaleTargetRef");
    return `${text(reference, "kind")}/${text(reference, "name")}`;
  }),
  column("Targets", targetsCell),
  column("MinPods", (autoscaler) => String(integer(child(autoscaler, "spec"), "minReplicas") ?? "<unset>")),
  column("MaxPods", (autoscaler) => count(child(autoscaler, "spec"), "maxReplicas")),
  column("Replicas", (autoscaler) => count(child(autoscaler, "status"), "currentReplicas")),
  ageColumn,
];
