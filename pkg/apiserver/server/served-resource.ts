import type { ApiObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import type { BodyCheck } from "../decode/check-body.ts";
import type { FieldSchema } from "../apply/field-schema.ts";
import type { DeletionHold } from "./deletion-holds.ts";
import type { Draft, KindRules, Subresource } from "../kinds/kind.ts";

/** One resource in one version, as the server serves it now. */
export interface ServedResource {
  readonly resource: Resource;
  readonly rules: KindRules;
  readonly verbs: ReadonlySet<string>;
  readonly subresources: ReadonlyMap<string, Subresource>;
  /** Where its objects are stored: all versions of a resource share a bucket. */
  readonly bucket: string;
  /** Lists name the kind once and their items do not; custom resources repeat it in every item. */
  readonly bareItems: boolean;
  readonly body: BodySchema;
  /** Between the stored version and this one; undefined when they are the same. */
  readonly conversion: Conversion | undefined;
  /** Sets this one apart in the discovery of versions: "v1" before "v1beta1". */
  readonly custom: boolean;
  /** Where the scale subresource finds its numbers. */
  readonly scale: ScalePaths | undefined;
  /** What holds up a deletion that nothing else does; undefined: nothing can. */
  readonly deletionHold: ((stored: ApiObject, nowMs: number) => DeletionHold | undefined) | undefined;
}

/** What a body of this kind may hold. */
export interface BodySchema {
  /**
   * Takes out what the kind does not know, and the nulls that mean absence. `unknown`: the paths taken out, as strict
   * validation names them. `problem`: what does not fit its type, in the words of the decoder.
   */
  check(draft: Draft): BodyCheck;
  /** The same for what a strategic merge patch or an apply has made; undefined for kinds without types (custom resources). */
  readonly checkMerged: ((draft: Draft) => BodyCheck) | undefined;
  readonly fields: FieldSchema;
  /** OpenAPI schema of a custom kind; that of a built-in kind comes from its definition. */
  readonly openApi: object | undefined;
  /** Strategic merge patch; undefined for kinds that do not support it (custom resources). */
  readonly strategic: StrategicPatch | undefined;
}

/** The patched object. Throws an Error whose message is that of the 422. */
export type StrategicPatch = (original: ApiObject, patch: Readonly<Record<string, unknown>>) => unknown;

export interface Conversion {
  toStorage(draft: Draft): Draft;
  /** The same stored object always gives the same result. */
  fromStorage(stored: ApiObject): ApiObject;
}

/** JSON paths as arrays of field names. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** A string (custom resources) or a label selector object (workloads). */
  readonly selector: readonly string[] | undefined;
}

export const readAsServed = (served: ServedResource, stored: ApiObject): ApiObject =>
  served.conversion === undefined ? stored : served.conversion.fromStorage(stored);

/** "pods" of the core group and "deployments" of apps: `pods` and `apps/deployments`. */
export function bucketName(group: string, plural: string): string {
  return group === "" ? plural : `${group}/${plural}`;
}

export function storageKey(namespaced: boolean, namespace: string, name: string): string {
  return namespaced ? `${namespace}/${name}` : name;
}
