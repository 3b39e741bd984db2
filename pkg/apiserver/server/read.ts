import type { ApiObject, ListMeta } from "../../api/object.ts";
import { CompactedError, type ScanResult } from "../storage/store.ts";
import type { Call, ServerParts } from "./call.ts";
import { decodeContinue, encodeContinue } from "./continue-token.ts";
import { negotiateOutput, prefersYaml } from "./negotiate.ts";
import { Output } from "./output.ts";
import { type ListQuery, parseListQuery, parseVersion } from "./query-options.ts";
import type { ApiResponse } from "./request.ts";
import { type Selection, selectionOf } from "./selection.ts";
import { readyToRead, type ServedResource, storageKey } from "./served-resource.ts";
import { badRequest, expired, notFound, noYamlWatch, tooLargeVersion } from "./status-error.ts";
import { formsOf } from "./subresource-forms.ts";
import { watchResource } from "./watch.ts";

export async function getObject(call: Call): Promise<ApiResponse> {
  const { request, served, clock } = call;
  const output = new Output(
    served,
    negotiateOutput(request.headers["accept"], request.query, formsOf(call)),
    clock.nowMs(),
  );
  await requireAskedRevision(call);
  return { status: 200, headers: {}, body: { kind: "object", value: await output.object(findStored(call)) } };
}

/** For a get that names a version: waits until there is one at least as new. */
export async function requireAskedRevision(call: Call): Promise<void> {
  const asked = call.request.query.get("resourceVersion") ?? "";
  const isUncached = call.served.bucket === uncached;
  await requireOf(call, parseVersion(asked, isUncached ? "list" : "get"));
}

/** upstream: events have no watch cache, and the storage does not wait. */
const uncached = "events";

async function requireOf(call: Call, version: number | undefined): Promise<void> {
  if (call.served.bucket !== uncached) return requireRevision(call, version);
  if (version !== undefined && version > call.store.revision)
    throw tooLargeVersion(version, call.store.revision, 0);
}

/** The object that the path names, as stored; 404 when there is none. */
export function findStored(call: Pick<Call, "store" | "served" | "info">): ApiObject {
  const stored = currentObject(call);
  if (stored === undefined) throw notFound(call.served.resource, call.info.name);
  return stored;
}

export function currentObject({
  store,
  served,
  info,
}: Pick<Call, "store" | "served" | "info">): ApiObject | undefined {
  return store.get(served.bucket, storageKey(served.resource.namespaced, info.namespace, info.name));
}

export async function listOrWatch(call: Call): Promise<ApiResponse> {
  const { request, served, info } = call;
  const form = negotiateOutput(request.headers["accept"], request.query, {
    route: "many",
    inProtobuf: served.inProtobuf,
  });
  const query = parseListQuery(request.query, info.watchPath);
  if (query.watch && prefersYaml(request.headers["accept"], served.inProtobuf)) throw noYamlWatch();
  const selection = selectionOf(served, info, query);
  const output = new Output(served, form, call.clock.nowMs());
  if (query.watch) return watchResource(call, query, selection, output);
  const { items, metadata } = await listPage(call, query, selection);
  return { status: 200, headers: {}, body: output.list(items, metadata) };
}

interface Page {
  readonly items: readonly ApiObject[];
  readonly metadata: ListMeta;
}

export async function listPage(call: Call, query: ListQuery, selection: Selection): Promise<Page> {
  const position = startOf(call.served, query, selection);
  await requireOf(call, position.notBefore);
  const { store, served } = call;
  const where = {
    prefix: selection.prefix,
    ...(position.exactly === undefined ? {} : { revision: position.exactly }),
    ...(position.from === undefined ? {} : { from: position.from }),
  };
  const remote = served.conversion?.remote;
  let found: ScanResult;
  try {
    if (remote !== undefined) await readyToRead(remote, () => store.scan(served.bucket, where).items);
    found = store.scan(served.bucket, {
      ...where,
      // upstream: watch caches answer for version 0 and know no pages.
      ...(query.limit > 0 && query.resourceVersion !== "0" ? { limit: query.limit } : {}),
      ...(selection.everything ? {} : { matches: selection.matches }),
    });
  } catch (error) {
    if (error instanceof CompactedError) throw expiredList(query, position.from, selection.prefix);
    throw error;
  }
  return { items: found.items, metadata: listMeta(found, selection) };
}

function listMeta(found: ScanResult, selection: Selection): ListMeta {
  const resourceVersion = String(found.revision);
  if (found.next === undefined) return { resourceVersion };
  const position = { revision: found.revision, from: found.next };
  return {
    resourceVersion,
    continue: encodeContinue(position, selection.prefix),
    // A number that counts objects which the selector drops would mislead.
    ...(selection.everything ? { remainingItemCount: found.remaining } : {}),
  };
}

interface ListStart {
  /** The state at this revision; the newest when undefined. */
  readonly exactly: number | undefined;
  /** The state at this revision or a later one. */
  readonly notBefore: number | undefined;
  readonly from: string | undefined;
}

function startOf(served: ServedResource, query: ListQuery, selection: Selection): ListStart {
  if (query.continueToken !== "") {
    const { revision, from } = decodeContinue(query.continueToken, selection.prefix);
    if (query.resourceVersion !== "" && query.resourceVersion !== "0")
      throw badRequest("specifying resource version is not allowed when using continue");
    const exactly = revision < 0 ? undefined : revision;
    return { exactly, notBefore: exactly, from };
  }
  const version = parseVersion(query.resourceVersion, "list");
  // Of one object there are no pages.
  const inPages = query.resourceVersionMatch === "" && query.limit > 0 && !selection.single;
  const exact = query.resourceVersionMatch === "Exact" || inPages;
  return { exactly: exact ? version : undefined, notBefore: version, from: undefined };
}

function expiredList(query: ListQuery, from: string | undefined, prefix: string): Error {
  if (query.continueToken === "" || from === undefined)
    return expired("The resourceVersion for the provided list is too old.");
  return expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
      "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
      "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
      "deleted between the time the first chunk was returned and now may show up in the list.",
    encodeContinue({ revision: -1, from }, prefix),
  );
}

const futureWaitMs = 3_000;

/** A version from the future may be about to be written: wait for it a while, as the API server does. */
export async function requireRevision(
  { store, clock }: Pick<ServerParts, "store" | "clock">,
  revision: number | undefined,
): Promise<void> {
  if (revision === undefined || revision <= store.revision) return;
  await new Promise<void>((resolve) => clock.setTimer(futureWaitMs, resolve));
  if (revision > store.revision) throw tooLargeVersion(revision, store.revision);
}
