import { child, items, text } from "../../../api/json.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind } from "../define-kind.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

export const apiServiceKinds = [
  defineKind(resources.apiServices, {
    columns: [
      nameColumn,
      column("Service", (object) => {
        const service = child(child(object, "spec"), "service");
        return service === undefined ? "Local" : `${text(service, "namespace")}/${text(service, "name")}`;
      }),
      column("Available", (object) => {
        const found = items(child(object, "status"), "conditions").find(
          (condition) => text(condition, "type") === "Available",
        );
        if (found === undefined) return "Unknown";
        const status = text(found, "status");
        return status === "True" ? status : `${status} (${text(found, "reason")})`;
      }),
      ageColumn,
    ],
  }),
];
