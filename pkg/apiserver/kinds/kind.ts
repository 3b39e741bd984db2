import type { Steps } from "../../api/steps.ts";
import type { Int64 } from "../../api/int64.ts";
import type { ApiObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";

/**
 * An object on its way into the storage: freshly decoded, owned by one request, and changed in place by the rules
 * below. What the storage holds and hands out is never changed again.
 */
export type Draft = Record<string, unknown> & { metadata: Record<string, unknown> };

/** One cause of a 422: field path as users write it (`spec.template.spec.containers[0].image`). */
export interface FieldError {
  readonly type:
    | "FieldValueRequired"
    | "FieldValueInvalid"
    | "FieldValueNotSupported"
    | "FieldValueForbidden"
    | "FieldValueDuplicate"
    | "FieldValueNotFound"
    | "FieldValueTooLong"
    | "FieldValueTooMany"
    | "InternalError"
    | "FieldValueTypeInvalid";
  readonly field: string;
  /** The complete message of the cause, e.g. `Invalid value: -1: must be greater than or equal to 0`. */
  readonly message: string;
}

export interface TableColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  readonly description?: string;
  /** 0: always shown; 1 and above: with -o wide. */
  readonly priority: number;
  /** The cell's value. */
  cell(object: ApiObject, nowMs: number): string | Int64 | boolean | null;
}

export interface Subresource {
  /** "status", "scale", "binding", "eviction", "token", "approval", "finalize", "ephemeralcontainers", "resize", "log" … */
  readonly name: string;
  /** Kind of the subresource's own body, when it is not the parent's. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

export interface RuleContext {
  readonly nowMs: number;
  /** Who writes; "" when unknown. */
  readonly user: string;
  /** More about who writes, for kinds that record it. */
  readonly requester?: {
    readonly uid?: string;
    readonly groups: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** The subresource written to, "" for the main resource. */
  readonly subresource: string;
}

/** Kinds whose objects can be large without end look for mistakes in steps. */
export type Findings = readonly FieldError[] | Steps<readonly FieldError[]>;

export function isInSteps(found: Findings): found is Steps<readonly FieldError[]> {
  return "next" in found;
}

/**
 * What is particular to one resource. The server (pkg/apiserver/server) does everything generic: names, uids, versions,
 * generation, metadata validation (metadata.ts), optimistic concurrency, finalizers, patches, selectors, tables.
 */
export interface KindRules {
  readonly resource: Resource;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly Subresource[];
  /** Verbs of the main resource; all the usual ones when left out. */
  readonly verbs?: readonly string[];
  /** Columns behind NAME and before AGE, as in a real cluster; name and age are included by the rules themselves. */
  readonly columns: readonly TableColumn[];
  /** Field selectors beyond metadata.name and metadata.namespace. */
  readonly selectableFields?: (object: ApiObject) => Readonly<Record<string, string>>;
  /** Objects start with generation 1, and an update that changes the spec bumps it. */
  readonly generation: boolean;
  /** Whether this update of the main resource bumps the generation, where that is not just a changed spec. */
  generationChanged?(draft: Draft, before: ApiObject): boolean;
  /** Fills what the client left out, exactly as the API server does when it has decoded a body. */
  setDefaults?(draft: Draft): void;
  /** After defaults, names and uids, before validation: drops what a create may not set (status …). */
  prepareForCreate?(draft: Draft, context: RuleContext): void;
  /** Takes over from `before` what this write may not change: status on the main resource, all but status on /status. */
  prepareForUpdate?(draft: Draft, before: ApiObject, context: RuleContext): void;
  /** Checks of a new object. */
  validate?(draft: Draft, context: RuleContext): Findings;
  /** All the checks of an update; `validate` does not run as well. */
  validateUpdate?(draft: Draft, before: ApiObject, context: RuleContext): Findings;
  /** Warning headers for this write, to the resource itself ("") or a subresource. */
  warnings?(draft: Draft, before: ApiObject | undefined, subresource: string): readonly string[];
  /** Seconds of grace that a delete gets by default; undefined: the object goes at once. Pods only. */
  deletionGraceSeconds?(object: ApiObject, requested: Int64 | undefined): Int64 | undefined;
  /** Names are validated as: default DNS subdomain. */
  readonly nameFormat?: "dns1123Subdomain" | "dns1123Label" | "dns1035Label" | "pathSegment";
  /** May be created by PUT to a name that does not exist. */
  readonly createOnUpdate?: boolean;
  /** A delete without a propagation policy leaves the dependents alone, as old versions of the API did. */
  readonly orphanByDefault?: boolean;
  /** A PUT without resourceVersion overwrites without a check. Default true, as most kinds. */
  readonly unconditionalUpdate?: boolean;
  /** What a write to an endpoint ("" is the resource itself) leaves alone, so that the writer does not come to own it. */
  readonly reset?: Readonly<Record<string, readonly (readonly string[])[]>>;
}
