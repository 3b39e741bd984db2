import type { Call } from "./call.ts";
import type { ComputedResource } from "./computed-resource.ts";
import { negotiateOutput } from "./negotiate.ts";
import { Output } from "./output.ts";
import { parseListQuery } from "./query-options.ts";
import type { ApiResponse } from "./request.ts";
import { selectionOf } from "./selection.ts";
import { notFound } from "./status-error.ts";

/** Answers get and list. Lists have no version: what they hold is of this moment. */
export function readComputed(computed: ComputedResource): (call: Call) => Promise<ApiResponse> {
  return async (call) => {
    const { request, served, info, clock } = call;
    const form = negotiateOutput(request.headers["accept"], request.query, served);
    const output = new Output(served, form, clock.nowMs());
    if (info.name !== "") {
      const found = computed.get(info.namespace, info.name);
      // upstream: the old statuses of components are missed in the singular.
      const plural = served.custom ? served.resource.plural : computed.singular;
      if (found === undefined) throw notFound({ ...served.resource, plural }, info.name);
      return { status: 200, headers: {}, body: { kind: "object", value: await output.object(found) } };
    }
    const selection = selectionOf(served, info, parseListQuery(request.query, false));
    const items = computed.list(info.namespace).filter((object) => selection.matches(object));
    return { status: 200, headers: {}, body: output.list(items, {}) };
  };
}
