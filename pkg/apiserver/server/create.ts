import type { ApiObject } from "../../api/object.ts";
import { generateName } from "../../api/names.ts";

import { text } from "../../api/json.ts";
import type { Draft, RuleContext } from "../kinds/kind.ts";
import { validateMetadata } from "../kinds/metadata.ts";
import { freezeDeep } from "../storage/freeze.ts";
import { admissionAttributes, requireValid } from "./admit.ts";
import type { Call } from "./call.ts";
import { readDraft } from "./draft.ts";
import { copyJson } from "../../api/json-copy.ts";
import { recordOwnership } from "./managed-fields.ts";
import { negotiateOutput, requireObjectBody } from "./negotiate.ts";
import { finishObject, stampNew } from "./object-lifecycle.ts";
import { Output } from "./output.ts";
import { parseWriteQuery, type WriteQuery } from "./query-options.ts";
import type { ApiResponse } from "./request.ts";
import { storageKey } from "./served-resource.ts";
import { alreadyExists, badRequest, generateNameConflict, internal } from "./status-error.ts";

const generateAttempts = 8;

export async function createObject(call: Call): Promise<ApiResponse> {
  const { request, served, clock } = call;
  const form = negotiateOutput(request.headers["accept"], request.query);
  const query = parseWriteQuery(request.query, "CreateOptions");
  requireObjectBody(request.headers["content-type"]);
  const draft = readDraft(served, request.body, query, call.warnings);
  const stored = await createDraft(call, draft, query);
  const output = new Output(served, form, clock.nowMs());
  return { status: 201, headers: {}, body: { kind: "object", value: output.object(stored) } };
}

/** Takes the draft through defaults, admission, rules and validation into the storage. */
export async function createDraft(
  call: Call,
  draft: Draft,
  query: WriteQuery,
  ownership: "track" | "asGiven" = "track",
): Promise<ApiObject> {
  const { served, info, admission } = call;
  const { rules, resource } = served;
  matchNamespace(draft, resource.namespaced ? info.namespace : "");
  rules.setDefaults?.(draft);
  if (ownership === "track") recordOwnership(call, undefined, draft, query);
  const name = text(draft.metadata, "name");
  const attributes = admissionAttributes(call, query, { operation: "CREATE", name, before: undefined });
  await admission.mutate(attributes, draft);
  const context: RuleContext = {
    nowMs: call.clock.nowMs(),
    user: call.user.username,
    subresource: info.subresource,
  };
  const generated = text(draft.metadata, "name") === "" && text(draft.metadata, "generateName") !== "";
  for (let attempt = 1; ; attempt++) {
    // Rules change the draft by its name: another name needs another draft.
    const named = generated ? copyJson(draft) : draft;
    if (generated) named.metadata["name"] = generateName(text(draft.metadata, "generateName"), call.random);
    const name = text(named.metadata, "name");
    stampNew(named, context.nowMs, call.random);
    rules.prepareForCreate?.(named, context);
    if (rules.generation) named.metadata["generation"] = 1;
    requireValid(resource, name, [
      ...validateMetadata(named, rules),
      ...(rules.validate?.(named, context) ?? []),
    ]);
    call.warnings.push(...(rules.warnings?.(named, undefined) ?? []));
    const object = named as unknown as ApiObject;
    await admission.validate({ ...attributes, name }, object);
    const stored = await storeNew(call, object, query);
    if (stored !== undefined) return stored;
    if (!generated) throw alreadyExists(resource, name);
    if (attempt >= generateAttempts) throw generateNameConflict(resource, name);
  }
}

/** Undefined when the name is taken. */
async function storeNew(call: Call, object: ApiObject, query: WriteQuery): Promise<ApiObject | undefined> {
  const { served, store, faults } = call;
  const { conversion, resource, bucket } = served;
  const draft = { ...object, metadata: { ...object.metadata } } as unknown as Draft;
  const finished = finishObject(conversion === undefined ? draft : conversion.toStorage(draft));
  const { namespace = "", name = "" } = finished.metadata;
  const key = storageKey(resource.namespaced, namespace, name);
  await faults.beforeWrite(call.subject);
  // It is the storage that minds, which a dry run does not come to. What is no number says nothing about versions.
  const given = text(draft.metadata, "resourceVersion");
  if (!query.dryRun && /^\d{1,20}$/.test(given) && BigInt(given) !== 0n)
    throw internal("resourceVersion should not be set on objects to be created");
  if (store.get(bucket, key) !== undefined) return undefined;
  if (query.dryRun) {
    if (given === "") delete finished.metadata.resourceVersion;
    else finished.metadata.resourceVersion = given;
    return freezeDeep(finished);
  }
  return store.put(bucket, key, undefined, finished);
}

/** The namespace of the request fills a missing one; another one is refused. */
export function matchNamespace(draft: Draft, requested: string): void {
  const given = text(draft.metadata, "namespace");
  if (given === requested) return;
  if (given !== "" && requested !== "")
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  if (requested === "") delete draft.metadata["namespace"];
  else draft.metadata["namespace"] = requested;
}
