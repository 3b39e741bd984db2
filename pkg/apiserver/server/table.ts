import type { ApiObject, ObjectList } from "../../api/object.ts";
import type { KindRules } from "../kinds/kind.ts";
import type { OutputForm } from "./negotiate.ts";

/** The table that kubectl prints. */
export function tableOf(
  rules: KindRules,
  { items, metadata }: Pick<ObjectList<ApiObject>, "items" | "metadata">,
  form: Extract<OutputForm, { kind: "table" }>,
  nowMs: number,
): Record<string, unknown> {
  const { columns } = rules;
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${form.version}`,
    metadata,
    columnDefinitions: columns.map(({ name, type, format, description, priority }) => ({
      name,
      type,
      format: format ?? "",
      description: description ?? "",
      priority,
    })),
    rows: items.map((object) => ({
      cells: columns.map((column) => column.cell(object, nowMs)),
      object: rowObject(object, form),
    })),
  };
}

function rowObject(object: ApiObject, form: Extract<OutputForm, { kind: "table" }>): object | null {
  if (form.include === "None") return null;
  if (form.include === "Object") return object;
  const apiVersion = `meta.k8s.io/${form.version}`;
  return { kind: "PartialObjectMetadata", apiVersion, metadata: object.metadata };
}
