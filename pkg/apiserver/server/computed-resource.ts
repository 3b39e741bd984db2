import type { ApiObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import type { Call } from "./call.ts";
import type { TableColumn } from "../kinds/kind.ts";
import { negotiateOutput } from "./negotiate.ts";
import { Output } from "./output.ts";
import { parseListQuery } from "./query-options.ts";
import type { ApiResponse } from "./request.ts";
import { selectionOf } from "./selection.ts";
import { bucketName, type ServedResource } from "./served-resource.ts";
import { notFound } from "./status-error.ts";

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
      openApi,
      strategic: undefined,
    },
    conversion: undefined,
    custom: true,
    scale: undefined,
    deletionHold: undefined,
  };
}

/** Answers get and list. Lists have no version: what they hold is of this moment. */
export function readComputed(computed: ComputedResource): (call: Call) => Promise<ApiResponse> {
  return async (call) => {
    const { request, served, info, clock } = call;
    const form = negotiateOutput(request.headers["accept"], request.query);
    const output = new Output(served, form, clock.nowMs());
    if (info.name !== "") {
      const found = computed.get(info.namespace, info.name);
      // upstream: the old statuses of components are missed in the singular.
      const plural = served.custom ? served.resource.plural : computed.singular;
      if (found === undefined) throw notFound({ ...served.resource, plural }, info.name);
      return { status: 200, headers: {}, body: { kind: "object", value: output.object(found) } };
    }
    const selection = selectionOf(served, info, parseListQuery(request.query, false));
    const items = computed.list(info.namespace).filter((object) => selection.matches(object));
    return { status: 200, headers: {}, body: output.list(items, {}) };
  };
}
