import { resources } from "../../../api/resources.ts";
import { defineKind, type KindSpec } from "../define-kind.ts";
import { jsonEqual } from "../../../api/patch/json.ts";
import { child, flag, int64, isJson, items, text } from "../../../api/json.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

const rules: KindSpec = {
  validate(draft, errors) {
    errors.nonNegative("revision", int64(draft, "revision"));
    const data = draft["data"];
    if (data === undefined || data === null) errors.required("data", "data is mandatory");
    else if (!isJson(data)) errors.required("data", "data must be a valid JSON object");
  },
  validateUpdate(draft, before, errors) {
    errors.nonNegative("revision", int64(draft, "revision"));
    // To be a byte like before: nobody knows what an empty list means in there.
    if (!jsonEqual(draft["data"], before["data"]))
      errors.invalid("data", draft["data"] ?? null, "field is immutable");
  },
  columns: [
    nameColumn,
    column("Controller", (object) => {
      const owner = items(child(object, "metadata"), "ownerReferences").find((one) =>
        flag(one, "controller"),
      );
      if (owner === undefined) return "<none>";
      const group = text(owner, "apiVersion").split("/").slice(0, -1).join("/");
      const kind = text(owner, "kind").toLowerCase();
      return `${group === "" ? kind : `${kind}.${group}`}/${text(owner, "name")}`;
    }),
    column("Revision", (object) => int64(object, "revision") ?? 0),
    ageColumn,
  ],
};

export const controllerRevisionKinds = [defineKind(resources.controllerRevisions, rules)];
