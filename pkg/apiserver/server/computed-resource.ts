import type { ApiObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import type { TableColumn } from "../kinds/kind.ts";
import { bucketName, type ServedResource } from "./served-resource.ts";

/** A resource that nobody writes: its objects are made out when somebody asks, as an aggregated API server does it. */
export interface ComputedResource {
  readonly resource: Resource;
  readonly singular: string;
  readonly columns: readonly TableColumn[];
  /** OpenAPI of its objects. */
  readonly openApi: object;
  /** Of one namespace, or all when that is "". */
  list(namespace: string): readonly ApiObject[];
  get(namespace: string, name: string): ApiObject | undefined;
}

/** By bucket. */
export type ComputedResources = ReadonlyMap<string, ComputedResource>;

export const bucketOf = ({ resource }: ComputedResource): string =>
  bucketName(resource.group, resource.plural);

export function servedComputed(computed: ComputedResource): ServedResource {
  const { resource, singular, columns, openApi } = computed;
  return {
    resource,
    rules: {
      resource,
      singular,
      shortNames: [],
      categories: [],
      subresources: [],
      columns,
      generation: false,
    },
    verbs: new Set(["get", "list"]),
    subresources: new Map(),
    bucket: bucketOf(computed),
    bareItems: false,
    body: {
      check: () => ({ unknown: [], problem: undefined }),
      checkMerged: undefined,
      fields: { kind: "deduced" },
      empty: {},
      openApi,
      strategic: undefined,
    },
    conversion: undefined,
    custom: true,
    inProtobuf: false,
    scale: undefined,
    deletionHold: undefined,
  };
}
