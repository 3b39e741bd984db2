import { duration } from "../duration.ts";
import type { FoundCluster } from "./cluster-home.ts";

const head = ["NAME", "STATUS", "PROCESS", "AGE", "URL", "KUBECONFIG"];

/** The lines of `kcm list`: as kubectl writes tables. */
export function clusterTable(clusters: readonly FoundCluster[], nowMs: number): readonly string[] {
  const rows = [head, ...clusters.map((cluster) => rowOf(cluster, nowMs))];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("   ")
      .trimEnd(),
  );
}

function rowOf({ name, state, holder, record }: FoundCluster, nowMs: number): readonly string[] {
  return [
    name,
    state === "stale" ? "Stale" : state === "starting" ? "Starting" : "Running",
    holder === undefined ? "?" : String(holder.processId),
    duration(nowMs - Date.parse(record.startedAt)),
    record.url === "" ? "<none>" : record.url,
    record.kubeconfig,
  ];
}
