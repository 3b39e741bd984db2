import type { ApiObject, ObjectList } from "../../api/object.ts";
import { columnDescriptions } from "../kinds/column-descriptions.ts";
import { plainColumns } from "../kinds/define-kind.ts";
import type { KindRules } from "../kinds/kind.ts";
import type { OutputForm } from "./negotiate.ts";
import { badRequest } from "./status-error.ts";

/** The table that kubectl prints. */
export function tableOf(
  rules: KindRules,
  { items, metadata }: Pick<ObjectList<ApiObject>, "items" | "metadata">,
  form: Extract<OutputForm, { kind: "table" }>,
  nowMs: number,
): Record<string, unknown> {
  const { columns } = rules;
  const include = includeObject(form.include);
  const descriptions = columnDescriptions(rules.resource);
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${form.version}`,
    metadata,
    columnDefinitions: columns.map(({ name, type, format, description, priority }, index) => ({
      name,
      type,
      format: format ?? "",
      description: description ?? descriptions[index] ?? "",
      priority,
    })),
    // upstream: the table of a kind that has thought of none has no list then.
    rows:
      items.length === 0 && columns === plainColumns
        ? null
        : items.map((object) => ({
            cells: columns.map((column) => column.cell(object, nowMs)),
            object: rowObject(object, include, form.version),
          })),
  };
}

/** Throws a StatusError where a table is asked for that there is not. */
export function requireTable(form: Extract<OutputForm, { kind: "table" }>): void {
  includeObject(form.include);
}

type Include = "None" | "Metadata" | "Object";

function includeObject(value: string): Include {
  if (value === "") return "Metadata";
  if (value === "None" || value === "Metadata" || value === "Object") return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be ` +
      "'Metadata', 'Object', 'None', or empty",
  );
}

function rowObject(object: ApiObject, include: Include, version: string): object | null {
  if (include === "None") return null;
  if (include === "Object") return object;
  const apiVersion = `meta.k8s.io/${version}`;
  return { kind: "PartialObjectMetadata", apiVersion, metadata: metadataOf(object) };
}

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** upstream: other forms are made of internal objects, in which this is a field and no annotation. */
export function metadataOf({ kind, metadata }: ApiObject): ApiObject["metadata"] {
  const { annotations } = metadata;
  if (kind !== "DaemonSet" || annotations?.[TEMPLATE_GENERATION] === undefined) return metadata;
  const { [TEMPLATE_GENERATION]: _, ...others } = annotations;
  const { annotations: __, ...rest } = metadata;
  return Object.keys(others).length === 0 ? rest : { ...rest, annotations: others };
}
