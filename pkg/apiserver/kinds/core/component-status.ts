import { items, type Json, text } from "../../../api/json.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind } from "../define-kind.ts";
import { column, nameColumn } from "../table.ts";

function healthy(status: Json): Json | undefined {
  return items(status, "conditions").find((condition) => text(condition, "type") === "Healthy");
}

export const componentStatusKind = defineKind(resources.componentStatuses, {
  columns: [
    nameColumn,
    column("Status", (object) => (text(healthy(object), "status") === "True" ? "Healthy" : "Unhealthy")),
    column("Message", (object) => text(healthy(object), "message")),
    column("Error", (object) => text(healthy(object), "error")),
  ],
});
