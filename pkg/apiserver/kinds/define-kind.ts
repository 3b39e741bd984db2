import type { ApiObject } from "../../api/object.ts";
import { apiVersionOf, type BuiltInResource } from "../../api/resource.ts";
import { goStruct, type GoStruct } from "../../api/go-types.ts";
import { definitionOf } from "../../api/schema.ts";
import { validateDeclared } from "./declared-rules.ts";
import { FieldErrors } from "./field-errors.ts";
import { asJson, child, copyField, isJson, sameValue, type Json } from "../../api/json.ts";
import type { Draft, FieldError, KindRules, RuleContext, TableColumn } from "./kind.ts";
import { type Strategy, strategies } from "./strategies.gen.ts";
import { ageColumn, createdColumn, nameColumn } from "./table.ts";
import { normalizeGiven, normalizeWireForm } from "../../api/wire-form.ts";

type Identity =
  | keyof Strategy
  | "resource"
  | "singular"
  | "shortNames"
  | "categories"
  | "subresources"
  | "verbs";

/** What a kind says of itself; everything that kinds have in common is added by defineKind. */
export interface KindSpec extends Partial<
  Omit<KindRules, Identity | "validate" | "validateUpdate" | "prepareForUpdate">
> {
  /** Checks of a new object and, unless `validateUpdate` replaces them, of every update of the main resource. */
  readonly validate?: (draft: Draft, errors: FieldErrors, context: RuleContext) => void;
  /** Runs in addition to `validate`, for what may not change. */
  readonly validateChange?: (draft: Draft, before: Json, errors: FieldErrors, context: RuleContext) => void;
  /** Replaces `validate` and `validateChange` for updates of the main resource. */
  readonly validateUpdate?: (draft: Draft, before: Json, errors: FieldErrors, context: RuleContext) => void;
  /** Updates of the status subresource. */
  readonly validateStatus?: (draft: Draft, before: Json, errors: FieldErrors, context: RuleContext) => void;
  /** After status and spec have been kept apart. Subresources other than status are entirely the kind's own. */
  readonly prepareForUpdate?: (draft: Draft, before: Json, context: RuleContext) => void;
  /** Metadata that writes to /status may not touch: the keys, or all of it. */
  readonly statusKeepsMetadata?: readonly string[] | "all";
  /** What upstream's types declare of the fields is checked, before the checks of the kind's own. */
  readonly declaredRules?: true;
  /** Kinds whose status a client may set when it creates the object: nodes, leases' like. */
  readonly keepsStatusOnCreate?: boolean;
}

export const nameAndAge: readonly TableColumn[] = [nameColumn, ageColumn];

/** The table of a kind that has thought of none. */
export const plainColumns: readonly TableColumn[] = [nameColumn, createdColumn];

export function defineKind(resource: BuiltInResource, spec: KindSpec = {}): KindRules {
  const hasStatus = resource.subresources.some((subresource) => subresource.name === "status");
  const normalize = (draft: Draft): void => normalizeWireForm(draft, apiVersionOf(resource), resource.kind);
  const { validate, validateChange, validateUpdate, validateStatus, statusKeepsMetadata, ...rest } = spec;
  const { keepsStatusOnCreate, declaredRules, ...shared } = rest;
  const type = declaredRules === true ? typeOf(resource) : undefined;
  return {
    columns: plainColumns,
    ...strategyOf(resource),
    ...shared,
    resource,
    singular: resource.singular,
    shortNames: resource.shortNames,
    categories: resource.categories,
    subresources: resource.subresources,
    verbs: resource.verbs,
    setDefaults(draft) {
      // What a client sends has been read as its type, and stored objects have their form.
      spec.setDefaults?.(draft);
      normalizeGiven(draft, apiVersionOf(resource), resource.kind);
    },
    prepareForCreate(draft, context) {
      if (hasStatus && keepsStatusOnCreate !== true) delete draft["status"];
      spec.prepareForCreate?.(draft, context);
      normalize(draft);
    },
    prepareForUpdate(draft, before, context) {
      const old = asJson(before);
      if (context.subresource === "" && hasStatus) copyField(draft, old, "status");
      if (context.subresource === "status") keepAllButStatus(draft, old, statusKeepsMetadata ?? []);
      spec.prepareForUpdate?.(draft, old, context);
      normalize(draft);
    },
    validate(draft, context) {
      const errors = new FieldErrors();
      if (type !== undefined) validateDeclared(draft, type, errors);
      validate?.(draft, errors, context);
      return type === undefined ? errors.list : onceEach(errors.list);
    },
    validateUpdate(draft, before, context) {
      const errors = new FieldErrors();
      const old = asJson(before);
      if (context.subresource === "status") {
        if (type !== undefined) validateDeclared({ status: draft["status"] }, type, errors);
        validateStatus?.(draft, old, errors, context);
      } else if (validateUpdate !== undefined) validateUpdate(draft, old, errors, context);
      else {
        if (type !== undefined) validateDeclared(draft, type, errors, old);
        validate?.(draft, errors, context);
        validateChange?.(draft, old, errors, context);
      }
      return type === undefined ? errors.list : onceEach(errors.list);
    },
  };
}

/** What upstream's registry says of the kind. */
export function strategyOf(resource: BuiltInResource): Strategy & { readonly generation: boolean } {
  return { generation: false, ...strategies[`${apiVersionOf(resource)} ${resource.kind}`] };
}

/** What is declared of a field may be checked by hand, too. */
function onceEach(list: readonly FieldError[]): readonly FieldError[] {
  return [...new Map(list.map((one) => [`${one.type} ${one.field} ${one.message}`, one])).values()];
}

function typeOf(resource: BuiltInResource): GoStruct {
  const name = definitionOf(apiVersionOf(resource), resource.kind)?.name;
  const type = name === undefined ? undefined : goStruct(name);
  if (type === undefined) throw new Error(`${resource.kind} has no Go type`);
  return type;
}

/** A write to /status changes the status, and metadata as far as the kind lets it. */
function keepAllButStatus(draft: Draft, before: Json, metadataKeys: readonly string[] | "all"): void {
  for (const key of new Set([...Object.keys(draft), ...Object.keys(before)])) {
    if (!["apiVersion", "kind", "metadata", "status"].includes(key)) copyField(draft, before, key);
  }
  keepMetadata(draft, before, metadataKeys);
}

/** What a subresource that is "metadata-proof" leaves alone. */
const protectedMetadata = [
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "finalizers",
  "generateName",
  "labels",
  "annotations",
  "ownerReferences",
];

export function keepMetadata(draft: Draft, before: Json, keys: readonly string[] | "all"): void {
  const old = child(before, "metadata") ?? {};
  for (const key of keys === "all" ? protectedMetadata : keys) copyField(draft.metadata, old, key);
}

/** Whether anything besides metadata and status differs: what bumps the generation where the spec is not all of it. */
export function contentChanged(draft: Draft, before: ApiObject): boolean {
  const old = asJson(before);
  return [...new Set([...Object.keys(draft), ...Object.keys(old)])].some(
    (key) => !["apiVersion", "kind", "metadata", "status"].includes(key) && !sameValue(draft[key], old[key]),
  );
}

/** The spec of the draft; created when a client left it out, so that defaults have a place. */
export function specOf(draft: Json): Json {
  const spec = draft["spec"];
  if (isJson(spec)) return spec;
  const created: Json = {};
  draft["spec"] = created;
  return created;
}
