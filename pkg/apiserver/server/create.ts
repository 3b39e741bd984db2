import type { ApiObject } from "../../api/object.ts";
import { generateName } from "../../api/names.ts";

import { text } from "../../api/json.ts";
import type { Draft, RuleContext } from "../kinds/kind.ts";
import { validateMetadata } from "../kinds/metadata.ts";
import { deepFreeze } from "../../api/freeze.ts";
import { admissionAttributes, findings, requireValid } from "./admit.ts";
import type { Call } from "./call.ts";
import { readDraft } from "./draft.ts";
import { copyJson } from "../../api/json-copy.ts";
import { matchNamespace } from "./match-namespace.ts";
import { recordOwnership } from "./managed-fields.ts";
import { negotiateOutput, requireObjectBody } from "./negotiate.ts";
import { finishObject, stampNew } from "./object-lifecycle.ts";
import { Output } from "./output.ts";
import { parseWriteQuery, type WriteQuery } from "./query-options.ts";
import type { ApiResponse } from "./request.ts";
import { storageKey } from "./served-resource.ts";
import { alreadyExists, generateNameConflict, internal } from "./status-error.ts";

const generateAttempts = 8;

export async function createObject(call: Call): Promise<ApiResponse> {
  const { request, served, clock } = call;
  const form = negotiateOutput(request.headers["accept"], request.query, served);
  const query = parseWriteQuery(request.query, "CreateOptions");
  requireObjectBody(request.headers["content-type"]);
  const draft = await call.turns.run(readDraft(served, request.body, query, call.warnings));
  delete draft.metadata["selfLink"];
  await call.turns.step();
  const stored = await createDraft(call, draft, query);
  const output = new Output(served, form, clock.nowMs());
  return { status: 201, headers: {}, body: { kind: "object", value: await output.object(stored) } };
}

/** Takes the draft through defaults, admission, rules and validation into the storage. */
export async function createDraft(
  call: Call,
  draft: Draft,
  query: WriteQuery,
  ownership: "track" | "asGiven" = "track",
): Promise<ApiObject> {
  const { served, info, admission, turns } = call;
  const { rules, resource } = served;
  matchNamespace(draft, call);
  rules.setDefaults?.(draft);
  await turns.step();
  if (ownership === "track") await turns.run(recordOwnership(call, undefined, draft, query));
  const name = text(draft.metadata, "name");
  const attributes = admissionAttributes(call, query, {
    operation: "CREATE",
    name,
    generateName: text(draft.metadata, "generateName"),
    before: undefined,
  });
  await admission.mutate(attributes, draft);
  // Those who admit may say what they like of it.
  matchNamespace(draft, call);
  const context: RuleContext = {
    nowMs: call.clock.nowMs(),
    user: call.user.username,
    requester: call.user,
    subresource: info.subresource,
  };
  const generated = text(draft.metadata, "name") === "" && text(draft.metadata, "generateName") !== "";
  for (let attempt = 1; ; attempt++) {
    // Rules change the draft by its name: another name needs another draft.
    const named = generated ? copyJson(draft) : draft;
    await turns.step();
    if (generated) named.metadata["name"] = generateName(text(draft.metadata, "generateName"), call.random);
    stampNew(named, context.nowMs, call.random);
    rules.prepareForCreate?.(named, context);
    const name = text(named.metadata, "name");
    if (rules.generation) named.metadata["generation"] = 1;
    await turns.step();
    const errors = validateMetadata(named, rules);
    await turns.step();
    const others = await findings(turns, rules.validate?.(named, context));
    await turns.step();
    requireValid(resource, name, [...errors, ...others]);
    await turns.step();
    for (const warning of rules.warnings?.(named, undefined, info.subresource) ?? [])
      call.warnings.push(warning);
    const object = named as unknown as ApiObject;
    await admission.validate(
      attributes.name === "" ? { ...attributes, name, refusedName: name } : attributes,
      object,
    );
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
  const finished = finishObject(conversion === undefined ? draft : await conversion.toStorage(draft));
  const { namespace = "", name = "" } = finished.metadata;
  const key = storageKey(resource.namespaced, namespace, name);
  store.prepare(finished);
  await call.turns.step();
  await faults.beforeWrite(call.subject);
  // It is the storage that minds, which a dry run does not come to. What is no number says nothing about versions.
  const given = text(draft.metadata, "resourceVersion");
  if (!query.dryRun && /^\d{1,20}$/.test(given) && BigInt(given) !== 0n)
    throw internal("resourceVersion should not be set on objects to be created");
  if (store.get(bucket, key) !== undefined) return undefined;
  if (query.dryRun) {
    if (given === "") delete finished.metadata.resourceVersion;
    else finished.metadata.resourceVersion = given;
    return deepFreeze(finished);
  }
  delete finished.metadata.selfLink;
  return store.put(bucket, key, undefined, finished);
}
