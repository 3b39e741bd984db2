import { labelKeyProblems } from "../../../api/labels-validate.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { byteLength } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import { asJson, child, count, optionalText, present, sameValue, text } from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { column, nameColumn, since } from "../table.ts";

/** The names that the fields have in each of the two groups. */
interface Names {
  readonly controller: string;
  readonly message: string;
  readonly object: string;
}

const coreNames: Names = { controller: "reportingComponent", message: "message", object: "involvedObject" };
const newNames: Names = { controller: "reportingController", message: "note", object: "regarding" };

/**
 * An event belongs to the namespace of its object, those of cluster-scoped objects to "default". Causes name the fields
 * as the older group does, but for the controller. upstream: pkg/apis/core/validation#legacyValidateEvent
 */
function validateEvent(draft: Draft, names: Names, errors: FieldErrors): void {
  const namespace = text(draft.metadata, "namespace");
  const involved = text(child(draft, names.object), "namespace");
  const hasEventTime = optionalText(draft, "eventTime") !== undefined;
  const homes = hasEventTime ? ["default", "kube-system"] : ["", "default"];
  const fits = involved === "" ? homes.includes(namespace) : hasEventTime || involved === namespace;
  if (!fits) errors.invalid("involvedObject.namespace", involved, "does not match event.namespace");
  if (hasEventTime) validateReport(draft, names, errors);
}

const NOTE = 1024;

function validateReport(draft: Draft, names: Names, errors: FieldErrors): void {
  const controller = text(draft, names.controller);
  if (controller === "") errors.required(names.controller);
  errors.invalidEach(names.controller, controller, labelKeyProblems(controller));
  for (const key of ["reportingInstance", "action", "reason"]) {
    const value = text(draft, key);
    if (value === "") errors.required(key);
    if (byteLength(value) > 128) errors.invalid(key, "", "can have at most 128 characters");
  }
  if (byteLength(text(draft, names.message)) > NOTE)
    errors.invalid("message", "", `can have at most ${NOTE} characters`);
}

function validateSeries(draft: Draft, errors: FieldErrors): void {
  const series = child(draft, "series");
  if (series === undefined) return;
  if (count(series, "count") < 2) errors.invalid("series.count", "", "should be at least 2");
  if (!present(series, "lastObservedTime")) errors.required("series.lastObservedTime");
}

/** What only the older group says: by the names that the newer one has for it. */
const oldFields: Readonly<Record<string, string>> = {
  deprecatedFirstTimestamp: "firstTimestamp",
  deprecatedLastTimestamp: "lastTimestamp",
  deprecatedCount: "count",
};

function validateNewEvent(draft: Draft, errors: FieldErrors): void {
  validateEvent(draft, newNames, errors);
  validateSeries(draft, errors);
  if (optionalText(draft, "eventTime") === undefined) errors.required("eventTime");
  const type = text(draft, "type");
  if (type !== "Normal" && type !== "Warning") errors.invalid("type", "", `has invalid value: ${type}`);
  for (const [field, shown] of Object.entries(oldFields))
    if (present(draft, field) && draft[field] !== 0) errors.invalid(shown, "", "needs to be unset");
  const source = child(draft, "deprecatedSource");
  if (text(source, "component") !== "" || text(source, "host") !== "")
    errors.invalid("source", "", "needs to be unset");
}

/** Field, and what a cause calls it. */
const fixed: readonly (readonly [field: string, shown: string])[] = [
  ["regarding", "involvedObject"],
  ["reason", "reason"],
  ["note", "message"],
  ["deprecatedSource", "source"],
  ...Object.entries(oldFields),
  ["type", "type"],
  ["eventTime", "eventTime"],
  ["action", "action"],
  ["related", "related"],
  ["reportingController", "reportingController"],
  ["reportingInstance", "reportingInstance"],
];

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

export const eventKinds = [
  defineKind(resources.events, {
    validate: (draft, errors) => validateEvent(draft, coreNames, errors),
    selectableFields: eventFields("involvedObject"),
    columns,
  }),
  defineKind(resources.eventsEvents, {
    validate: validateNewEvent,
    validateUpdate(draft, before, errors) {
      validateEvent(draft, newNames, errors);
      if (!sameValue(draft["series"], before["series"])) validateSeries(draft, errors);
      for (const [field, shown] of fixed) errors.immutable(shown, draft[field], before[field]);
    },
    selectableFields: eventFields("regarding"),
    columns,
  }),
];
