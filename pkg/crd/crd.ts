import type { ApiObject, NamespacedMeta, ObjectMeta } from "../api/object.ts";
import type { Resource, TypedResource } from "../api/resource.ts";
import type {
  CustomResourceDefinition,
  ValidationRule,
  WebhookClientConfig,
} from "../api/types/apiextensions-v1.gen.ts";
import type { SchemaSource, ValueOf } from "./schema-source.ts";

export type Scope = "Namespaced" | "Cluster";

/** What an author says of a custom resource, in one version. */
export interface CrdSpec {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly scope: Scope;
  /** The kind in lower case and in the plural, as English has it, when left out. */
  readonly plural?: string;
  /** The kind in lower case when left out. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly description?: string;
  readonly spec: SchemaSource;
  /** With it the status is a subresource. */
  readonly status?: SchemaSource;
  /** Rules in CEL over the whole object; those over a part stand at its schema, as x-kubernetes-validations. */
  readonly rules?: readonly ValidationRule[];
  readonly printerColumns?: readonly PrinterColumn[];
  /** Where kubectl scale, and autoscalers, find their numbers. */
  readonly scale?: ScalePaths;
  /** Paths such as ".spec.host", for field selectors. */
  readonly selectableFields?: readonly string[];
  /** True, or what users of this version are told. */
  readonly deprecated?: boolean | string;
  /** False: objects may still be kept in this version, but nobody is given them. */
  readonly served?: boolean;
  /** Of the definition itself. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** Above 0: only with -o wide. */
  readonly priority?: number;
}

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** An object of a custom resource. */
export interface CustomObject<
  Spec = unknown,
  Status = unknown,
  Meta extends ObjectMeta = ObjectMeta,
> extends ApiObject {
  readonly metadata: Meta;
  readonly spec: Spec;
  readonly status?: Status;
}

type MetaOf<D> = D extends { readonly scope: "Namespaced" } ? NamespacedMeta : ObjectMeta;
type StatusOf<D> = D extends { readonly status: infer S } ? ValueOf<S> : never;

/** The objects of what is being defined, as the API server gives them. */
export type DefinedObject<D extends CrdSpec> = CustomObject<ValueOf<D["spec"]>, StatusOf<D>, MetaOf<D>>;

/** The same as authors write them: without what has a default. */
export type DefinedDraft<D extends CrdSpec> = Draft<
  ValueOf<D["spec"], "written">,
  D extends { readonly status: infer S } ? ValueOf<S, "written"> : never,
  MetaOf<D>
>;

interface Draft<Spec, Status, Meta> {
  readonly metadata: Meta;
  readonly spec: Spec;
  readonly status?: Status;
}

/** What a conversion gives: of the metadata, only labels and annotations can become others. */
export type Converted<T extends ApiObject> = Omit<T, "apiVersion" | "kind" | "metadata"> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
};

/** How objects get from another version to the one that is kept, and back. */
export interface Conversion {
  readonly from: Resource;
  up(object: ApiObject): object;
  down(object: ApiObject): object;
}

export interface ManifestOptions {
  /** Where versions are converted. Must be said where there are several. */
  readonly conversionWebhook?: WebhookClientConfig;
}

/** A definition whose objects may be of any type. */
export interface AnyCrd extends Resource {
  readonly spec: CrdSpec;
  /** Of all versions but this one. */
  readonly conversions: readonly Conversion[];
  /** The CustomResourceDefinition. Throws a CrdError where it cannot be one. */
  manifest(options?: ManifestOptions): CustomResourceDefinition;
}

/** A custom resource: what clients, caches and controllers take, and its definition. */
export interface Crd<T extends ApiObject, D = T> extends TypedResource<T>, AnyCrd {
  /** A whole object: with its kind, and with the defaults of the schema. */
  object(draft: D): T;
  /**
   * The same resource, served in another version as well. Both must keep what the other cannot say, in annotations
   * perhaps: whoever reads an object in one version and writes it back must change nothing in the other.
   */
  convert<O extends ApiObject>(
    from: Crd<O, never>,
    up: (object: O) => Converted<T>,
    down: (object: T) => Converted<O>,
  ): Crd<T, D>;
}

/** The type of the objects of a resource. */
export type ObjectOf<R> = R extends TypedResource<infer T> ? T : never;
