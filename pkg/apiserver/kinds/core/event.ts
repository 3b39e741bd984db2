import { labelKeyProblems } from "../../../api/labels-validate.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { asJson, child, count, optionalText, text } from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { column, nameColumn, since } from "../table.ts";

/** An event belongs to the namespace of its object, those of cluster-scoped objects to "default". */
function validateCore(draft: Draft, errors: FieldErrors): void {
  const namespace = text(draft.metadata, "namespace");
  const involved = text(child(draft, "involvedObject"), "namespace");
  const hasEventTime = optionalText(draft, "eventTime") !== undefined;
  const homes = hasEventTime ? ["default", "kube-system"] : ["", "default"];
  const fits = involved === "" ? homes.includes(namespace) : hasEventTime || involved === namespace;
  if (!fits) errors.invalid("involvedObject.namespace", involved, "does not match event.namespace");
  if (hasEventTime) validateReport(draft, "reportingComponent", errors);
}

function validateReport(draft: Draft, controllerField: string, errors: FieldErrors): void {
  const controller = text(draft, controllerField);
  if (controller === "") errors.required(controllerField);
  errors.invalidEach(controllerField, controller, labelKeyProblems(controller));
  for (const key of ["reportingInstance", "action", "reason"]) {
    const value = text(draft, key);
    if (value === "") errors.required(key);
    if (value.length > 128) errors.invalid(key, "", "can have at most 128 characters");
  }
}

function eventFields(kindField: string) {
  return (object: Parameters<NonNullable<KindSpec["selectableFields"]>>[0]): Record<string, string> => {
    const event = asJson(object);
    const involved = child(event, kindField);
    const prefix = kindField === "regarding" ? "regarding" : "involvedObject";
    const controller = text(event, "reportingController") || text(event, "reportingComponent");
    const source = text(child(event, "source") ?? child(event, "deprecatedSource"), "component");
    return {
      ...Object.fromEntries(
        ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map((key) => [
          `${prefix}.${key}`,
          text(involved, key),
        ]),
      ),
      reason: text(event, "reason"),
      reportingComponent: controller,
      source: source || controller,
      type: text(event, "type"),
    };
  };
}

interface EventView {
  readonly first: string;
  readonly last: string;
  readonly count: number;
}

function view(event: Json): EventView {
  const eventTime = text(event, "eventTime");
  const first = text(event, "firstTimestamp") || text(event, "deprecatedFirstTimestamp") || eventTime;
  const last = text(event, "lastTimestamp") || text(event, "deprecatedLastTimestamp") || first;
  const series = child(event, "series");
  if (series !== undefined)
    return { first, last: text(series, "lastObservedTime"), count: count(series, "count") };
  return { first, last, count: count(event, "count") || count(event, "deprecatedCount") || 1 };
}

function objectOf(event: Json): Json | undefined {
  return child(event, "involvedObject") ?? child(event, "regarding");
}

function sourceCell(event: Json): string {
  const source = child(event, "source") ?? child(event, "deprecatedSource");
  const component =
    text(source, "component") || text(event, "reportingComponent") || text(event, "reportingController");
  const host = text(source, "host") || text(event, "reportingInstance");
  return host === "" ? component : `${component}, ${host}`;
}

const columns = [
  column("Last Seen", (event, nowMs) => since(view(event).last, nowMs)),
  column("Type", (event) => text(event, "type")),
  column("Reason", (event) => text(event, "reason")),
  column("Object", (event) => {
    const kind = text(objectOf(event), "kind").toLowerCase();
    const name = text(objectOf(event), "name");
    return name === "" ? kind : `${kind}/${name}`;
  }),
  column("Subobject", (event) => text(objectOf(event), "fieldPath"), { wide: true }),
  column("Source", sourceCell, { wide: true }),
  column("Message", (event) => (text(event, "message") || text(event, "note")).trim()),
  column("First Seen", (event, nowMs) => since(view(event).first, nowMs), { wide: true }),
  column("Count", (event) => view(event).count, { wide: true }),
  { ...nameColumn, priority: 1 },
];

const fixed = [
  "action",
  "note",
  "reason",
  "regarding",
  "related",
  "reportingController",
  "reportingInstance",
  "type",
  "eventTime",
];

export const eventKinds = [
  defineKind(resources.events, {
    createOnUpdate: true,
    validate: validateCore,
    selectableFields: eventFields("involvedObject"),
    columns,
  }),
  defineKind(resources.eventsEvents, {
    createOnUpdate: true,
    validate(draft, errors) {
      if (optionalText(draft, "eventTime") === undefined) errors.required("eventTime");
      const type = text(draft, "type");
      if (type !== "Normal" && type !== "Warning") errors.invalid("type", "", `has invalid value: ${type}`);
      validateReport(draft, "reportingController", errors);
    },
    validateUpdate(draft, before, errors) {
      for (const key of fixed) errors.immutable(key, draft[key], before[key]);
    },
    selectableFields: eventFields("regarding"),
    columns,
  }),
];
