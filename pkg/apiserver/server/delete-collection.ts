import type { ApiObject } from "../../api/object.ts";
import type { Call } from "./call.ts";
import { removeObject, warnOfOrphans } from "./delete.ts";
import { readDeleteOptions } from "./delete-options.ts";
import { negotiateOutput } from "./negotiate.ts";
import { Output } from "./output.ts";
import { type ListQuery, parseListQuery } from "./query-options.ts";
import { listPage } from "./read.ts";
import type { ApiResponse } from "./request.ts";
import { selectionOf } from "./selection.ts";
import { StatusError } from "./status-error.ts";

export async function deleteCollection(call: Call): Promise<ApiResponse> {
  const { request, served, info, clock } = call;
  const form = negotiateOutput(request.headers["accept"], request.query, served);
  const query = inPages(parseListQuery(request.query, false));
  const selection = selectionOf(served, info, query);
  const options = readDeleteOptions(request);
  warnOfOrphans(call, options);
  const { items, metadata } = await listPage(call, query, selection);
  for (const item of items) await removeUnlessGone(call, item, options);
  const output = new Output(served, form, clock.nowMs());
  return { status: 200, headers: {}, body: output.list(items, metadata) };
}

/** What is listed in pages is listed as it was at the version that is named, and not as it is by now. */
function inPages(query: ListQuery): ListQuery {
  return query.limit === 0 ? { ...query, limit: Infinity } : query;
}

/** Somebody else may delete an item meanwhile: that is what was asked for. */
async function removeUnlessGone(
  call: Call,
  item: ApiObject,
  options: ReturnType<typeof readDeleteOptions>,
): Promise<void> {
  const { name = "", namespace = "" } = item.metadata;
  try {
    await removeObject({ ...call, info: { ...call.info, name, namespace } }, options);
  } catch (error) {
    if (!(error instanceof StatusError && error.code === 404)) throw error;
  }
}
