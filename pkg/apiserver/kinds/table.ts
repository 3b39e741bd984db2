import type { Int64 } from "../../api/int64.ts";
import type { ApiObject } from "../../api/object.ts";
import { asJson, child, count, items, stringMap, strings, text, type Json } from "../../api/json.ts";
import type { TableColumn } from "./kind.ts";

type Cell = string | Int64 | boolean | null;

export function column(
  name: string,
  cell: (object: Json, nowMs: number) => Cell,
  options: { readonly type?: TableColumn["type"]; readonly wide?: boolean; readonly format?: string } = {},
): TableColumn {
  return {
    name,
    type: options.type ?? "string",
    format: options.format ?? "",
    priority: options.wide === true ? 1 : 0,
    cell: (object: ApiObject, nowMs: number) => cell(asJson(object), nowMs),
  };
}

export const nameColumn = column("Name", (object) => text(child(object, "metadata"), "name"), {
  format: "name",
});

/** How many of the wanted pods are ready. */
export const readyColumn = column("Ready", (object) => {
  const ready = count(child(object, "status"), "readyReplicas");
  return `${ready}/${count(child(object, "spec"), "replicas")}`;
});

export const ageColumn = column("Age", (object, nowMs) =>
  since(text(child(object, "metadata"), "creationTimestamp"), nowMs),
);

export const createdColumn = column(
  "Created At",
  (object) => text(child(object, "metadata"), "creationTimestamp"),
  { type: "date" },
);

/** How long ago, in the short form of kubectl. */
export function since(time: string, nowMs: number): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? "<unknown>" : shortDuration(nowMs - at);
}

/** Two significant units at most, and fewer the longer it lasts: 45s, 5m10s, 7h5m, 3d4h, 400d, 3y10d. */
export function shortDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return pair(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return pair(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 24 * 8) return pair(days, "d", hours % 24, "h");
  if (days < 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  if (days < 365 * 8) return pair(years, "y", days % 365, "d");
  return `${years}y`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

/** `app=a,tier=b` in order of the keys. */
export function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.keys(labels)
    .toSorted()
    .map((key) => `${key}=${labels[key]}`);
  return pairs.length === 0 ? "<none>" : pairs.join(",");
}

const operators: Readonly<Record<string, string>> = { In: "in", NotIn: "notin" };

/** A selector in the query form, requirements in order of their keys. */
export function formatSelector(selector: Json | undefined): string {
  if (selector === undefined) return "<none>";
  const labels = Object.entries(stringMap(selector, "matchLabels")).map(([key, value]) => [
    key,
    `${key}=${value}`,
  ]);
  const expressions = items(selector, "matchExpressions").map((expression) => {
    const key = text(expression, "key");
    const operator = text(expression, "operator");
    if (operator === "Exists") return [key, key];
    if (operator === "DoesNotExist") return [key, `!${key}`];
    const values = strings(expression, "values").toSorted().join(",");
    return [key, `${key} ${operators[operator] ?? operator} (${values})`];
  });
  const parts = [...labels, ...expressions].toSorted(([left = ""], [right = ""]) =>
    left < right ? -1 : Number(left > right),
  );
  return parts.length === 0 ? "<none>" : parts.map(([, part]) => part).join(",");
}

/** The columns that workloads show with -o wide. */
export function templateColumns(template: (object: Json) => Json | undefined): TableColumn[] {
  const containers = (object: Json): Json[] => items(child(template(object), "spec"), "containers");
  return [
    column("Containers", (object) => joinKeys(containers(object), "name"), { wide: true }),
    column("Images", (object) => joinKeys(containers(object), "image"), { wide: true }),
  ];
}

function joinKeys(containers: readonly Json[], key: string): string {
  return containers.map((container) => text(container, key)).join(",");
}

export const selectorColumn = column(
  "Selector",
  (object) => formatSelector(child(child(object, "spec"), "selector")),
  { wide: true },
);
