import type { ApiObject } from "../../api/object.ts";
import { asJson } from "../../api/json.ts";
import { copyJson } from "../../api/json-copy.ts";
import type { Resource } from "../../api/resource.ts";
import type { BodyCheck } from "../decode/check-body.ts";
import type { WrittenNumbers } from "../decode/json-scanner.ts";
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
  /** Whether its objects can be written in protobuf. */
  readonly inProtobuf: boolean;
  /** Where the scale subresource finds its numbers. */
  readonly scale: ScalePaths | undefined;
  /** What holds up a deletion that nothing else does; undefined: nothing can. */
  readonly deletionHold: ((stored: ApiObject, nowMs: number) => DeletionHold | undefined) | undefined;
}

/** What a body of this kind may hold. */
export interface BodySchema {
  /**
   * Takes out what the kind does not know, and the nulls that mean absence. `unknown`: the paths taken out, as strict
   * validation names them. `problem`: what does not fit its type, in the words of the decoder. `numbers`: those of the
   * text that was read, where some are not written as integers are.
   */
  check(draft: Draft, numbers?: WrittenNumbers): BodyCheck;
  /** The same for what a strategic merge patch or an apply has made; undefined for kinds without types (custom resources). */
  readonly checkMerged: ((draft: Draft) => BodyCheck) | undefined;
  readonly fields: FieldSchema;
  /** An object of the kind that nobody has said anything of: the zeros of its type, complete. */
  readonly empty: Readonly<Record<string, unknown>>;
  /** OpenAPI schema of a custom kind; that of a built-in kind comes from its definition. */
  readonly openApi: object | undefined;
  /** Strategic merge patch; undefined for kinds that do not support it (custom resources). */
  readonly strategic: StrategicPatch | undefined;
}

/** The patched object. Throws an Error whose message is that of the 422. */
export type StrategicPatch = (original: ApiObject, patch: Readonly<Record<string, unknown>>) => unknown;

export interface Conversion {
  /** What objects are stored as; those that nobody has written to since it changed are stored as something else. */
  readonly storedVersion?: string;
  toStorage(draft: Draft): Draft | Promise<Draft>;
  /** The same stored object always gives the same result. */
  fromStorage(stored: ApiObject): ApiObject;
  /** Where others convert, which takes its time: `fromStorage` gives only what has been made before. */
  readonly remote?: RemoteConversion;
}

export interface RemoteConversion {
  has(stored: ApiObject): boolean;
  /** Throws a StatusError where that fails. */
  make(stored: readonly ApiObject[]): Promise<void>;
  /** Converts it anew, for one who reads that object alone: others may do it otherwise by now. */
  anew(stored: ApiObject): Promise<ApiObject>;
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

/** Resolves once all of these can be read as served; asks for them anew, as others may write meanwhile. */
export async function readyToRead(
  remote: RemoteConversion,
  objects: () => readonly ApiObject[],
): Promise<void> {
  for (;;) {
    const missing = objects().filter((object) => !remote.has(object));
    if (missing.length === 0) return;
    await remote.make(missing);
  }
}

/** The object in another version of the resource. */
export async function convertTo(to: ServedResource, from: ServedResource, object: Draft): Promise<Draft> {
  if (to === from) return object;
  const stored = from.conversion === undefined ? object : await from.conversion.toStorage(copyJson(object));
  if (to.conversion === undefined) return copyJson(stored);
  const asStored = stored as unknown as ApiObject;
  await to.conversion.remote?.make([asStored]);
  return copyJson(asJson(to.conversion.fromStorage(asStored))) as Draft;
}

/** "pods" of the core group and "deployments" of apps: `pods` and `apps/deployments`. */
export function bucketName(group: string, plural: string): string {
  return group === "" ? plural : `${group}/${plural}`;
}

export function storageKey(namespaced: boolean, namespace: string, name: string): string {
  return namespaced ? `${namespace}/${name}` : name;
}
