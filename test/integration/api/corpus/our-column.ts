import type { ApiObject } from "../../../../pkg/api/object.ts";
import { resourceOfKind } from "../../../../pkg/api/resources.ts";
import { allKinds } from "../../../../pkg/apiserver/kinds/all-kinds.ts";
import { contentChanged } from "../../../../pkg/apiserver/kinds/define-kind.ts";
import { normalizeWireForm } from "../../../../pkg/api/wire-form.ts";
import { isJson } from "../../../../pkg/api/json.ts";
import { inOneGo } from "../../../../pkg/api/steps.ts";
import {
  type Draft,
  type FieldError,
  type Findings,
  isInSteps,
  type KindRules,
  type RuleContext,
} from "../../../../pkg/apiserver/kinds/kind.ts";
import { validateMetadata, validateMetadataUpdate } from "../../../../pkg/apiserver/kinds/metadata.ts";
import type { CorpusCase, UpdateCase } from "./corpus-case.ts";

export interface Ours {
  readonly draft: Draft;
  readonly errors: readonly FieldError[];
}

export function rulesOf(object: CorpusCase["object"]): KindRules {
  const rules = allKinds.find(({ resource }) => resource === resourceOfKind(object.apiVersion, object.kind));
  if (rules === undefined) throw new Error(`no rules for ${object.apiVersion} ${object.kind}`);
  return rules;
}

/** What the server does with a new object between its wire and its storage; uid and time as the other column has them. */
export function create(object: CorpusCase["object"], likeThat: Record<string, unknown> = {}): Ours {
  const rules = rulesOf(object);
  const draft = JSON.parse(JSON.stringify(object)) as Draft;
  if (rules.resource.namespaced) draft.metadata["namespace"] = "default";
  const context: RuleContext = { nowMs: 0, user: "admin", subresource: "" };
  normalizeWireForm(draft, object.apiVersion, object.kind);
  rules.setDefaults?.(draft);
  draft.metadata["uid"] = likeThat["uid"] ?? "0";
  if (rules.generation) draft.metadata["generation"] = 1;
  rules.prepareForCreate?.(draft, context);
  const errors = [...validateMetadata(draft, rules), ...atOnce(rules.validate?.(draft, context))];
  return { draft, errors };
}

function atOnce(found: Findings = []): readonly FieldError[] {
  return isInSteps(found) ? inOneGo(found) : found;
}

/** Fields that are the other server's own: time, version, field owners, the moment of a phase. */
export function comparable(object: Record<string, unknown>): unknown {
  const copy = structuredClone(object);
  const metadata = copy["metadata"] as Record<string, unknown>;
  for (const key of ["uid", "creationTimestamp", "resourceVersion", "managedFields"]) delete metadata[key];
  const status = copy["status"] as Record<string, unknown> | undefined;
  if (status?.["lastPhaseTransitionTime"] !== undefined) status["lastPhaseTransitionTime"] = "";
  const conditions = status?.["conditions"];
  for (const condition of Array.isArray(conditions) ? (conditions as Record<string, unknown>[]) : []) {
    condition["lastTransitionTime"] = "";
  }
  return copy;
}

/** The kind of error and its field; messages without the offending value, which Go prints in its own way. */
export function causes(
  list: readonly { reason?: string; type?: string; field?: string; message?: string }[],
): string[] {
  const lines = list.map(({ reason, type, field, message = "" }) => {
    const detail = message.replace(
      /^([A-Z][a-z ]+): (?:"(?:[^"\\]|\\.)*"|\{.*\}|\[.*\]|null|-?[\d.]+|true|false)(?=: |$)/s,
      "$1",
    );
    // Some messages end in a diff of Go structs.
    const anonymous = (detail.split("\n")[0] ?? "").replace(
      /'[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'/,
      "'0'",
    );
    return `${reason ?? type} ${field}: ${anonymous}`;
  });
  return [...new Set(lines)].toSorted();
}

/** Writes the patched object over `before`, as the server does. */
export function update(before: Draft, patch: object, subresource: string): Ours {
  const rules = rulesOf(before as unknown as CorpusCase["object"]);
  const old = before as unknown as ApiObject;
  const draft = merged(structuredClone(before), patch) as Draft;
  const context: RuleContext = { nowMs: 0, user: "admin", subresource };
  normalizeWireForm(draft, old.apiVersion ?? "", old.kind ?? "");
  rules.setDefaults?.(draft);
  rules.prepareForUpdate?.(draft, old, context);
  const bumps = rules.generationChanged ?? contentChanged;
  if (rules.generation && subresource !== "status" && bumps(draft, old)) {
    draft.metadata["generation"] = Number(before.metadata["generation"]) + 1;
  }
  const own = atOnce(rules.validateUpdate?.(draft, old, context));
  const errors = validateMetadataUpdate(draft, old, rules.resource);
  return { draft, errors: [...errors, ...own] };
}

function merged(target: unknown, patch: unknown): unknown {
  if (!isJson(patch)) return patch;
  const result = isJson(target) ? target : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

/** The object of a case as it is when its change comes. */
export function beforeUpdate({ object, before }: UpdateCase, stored: Record<string, unknown> = {}): Draft {
  const { draft } = create(object, stored);
  draft.metadata["resourceVersion"] = "1";
  draft.metadata["uid"] = stored["uid"] ?? "0";
  return before === undefined ? draft : update(draft, before.patch, before.subresource).draft;
}
