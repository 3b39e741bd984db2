import type { Int64 } from "../../api/int64.ts";
import type { ApiObject } from "../../api/object.ts";
import type { TableColumn } from "../kinds/kind.ts";
import { ageColumn, nameColumn, since } from "../kinds/table.ts";
import type { CustomVersion, PrinterColumn } from "./definition.ts";
import { compileJsonPath } from "./json-path.ts";

const columnTypes = new Set(["string", "integer", "number", "boolean", "date"]);

/** The columns that the definition asks for, behind the name; the age when it asks for none. */
export function customColumns({ additionalPrinterColumns = [] }: CustomVersion): readonly TableColumn[] {
  if (additionalPrinterColumns.length === 0) return [nameColumn, ageColumn];
  return [nameColumn, ...additionalPrinterColumns.map(customColumn)];
}

function customColumn({ name, type, format, description, priority, jsonPath }: PrinterColumn): TableColumn {
  const find = compileJsonPath(jsonPath);
  return {
    name,
    type: columnTypes.has(type) ? (type as TableColumn["type"]) : "string",
    ...(format === undefined ? {} : { format }),
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: priority ?? 0,
    cell: (object: ApiObject, nowMs: number) => cellOf(find(object), type, nowMs),
  };
}

function cellOf(values: readonly unknown[], type: string, nowMs: number): string | Int64 | boolean | null {
  const [value] = values;
  if (value === undefined || value === null) return null;
  switch (type) {
    case "integer":
      if (typeof value === "bigint") return value;
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? since(value, nowMs) : null;
    default:
      if (values.length > 1) return values.map(shown).join(" ");
      return shown(value);
  }
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
