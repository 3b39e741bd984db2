import type { AdmissionAttributes } from "../../server/admission.ts";
import type { ServedResource } from "../../server/served-resource.ts";
import { forbidden } from "../../server/status-error.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import { conditionsHold, webhookCondition } from "../expressions/conditions.ts";
import { type Circumstances, conditionValues } from "../matching/circumstances.ts";
import type { AdmittedObjects } from "../matching/admitted-objects.ts";
import { ruleMatches } from "../matching/match-rule.ts";
import { matchNamespace, matchObjects } from "../matching/selectors.ts";
import type { Webhook } from "./webhook.ts";

/**
 * The version of the resource in which the webhook wants to see the request; undefined: it is not interested. Throws
 * where that cannot be found out. upstream: apiserver/pkg/admission/plugin/webhook/generic/webhook.go#ShouldCallHook
 */
export function interestOf(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  objects: AdmittedObjects,
  reader: ClusterReader,
): ServedResource | undefined {
  const { spec } = webhook;
  const namespace = matchNamespace(spec.namespaceSelector, attributes, objects, reader);
  if (namespace === false) return undefined;
  if (!matchObjects(spec.objectSelector, objects)) return undefined;
  const served = servedFor(webhook, attributes);
  if (served === undefined) return undefined;
  // Only whom the request concerns minds that its namespace is not there.
  if (namespace !== true) throw namespace;
  return served;
}

/** Failing to evaluate them is failing to call the webhook. */
export async function meetsConditions({ spec }: Webhook, circumstances: Circumstances): Promise<boolean> {
  const conditions = spec.matchConditions ?? [];
  if (conditions.length === 0) return true;
  const { attributes } = circumstances;
  const holds = await attributes.turns.run(
    conditionsHold(
      conditions.map(({ expression }) => webhookCondition(expression.trim())),
      { values: conditionValues(circumstances), variables: new Map() },
    ),
  );
  if (typeof holds === "boolean") return holds;
  if (spec.failurePolicy === "Ignore") return false;
  throw forbidden(attributes.resource, attributes.refusedName, holds);
}

function servedFor({ spec }: Webhook, attributes: AdmissionAttributes): ServedResource | undefined {
  const rules = spec.rules ?? [];
  const { served } = attributes;
  if (rules.some((rule) => ruleMatches(rule, attributes, served.resource))) return served;
  if (spec.matchPolicy === "Exact") return undefined;
  // Earlier rules count first.
  const others = attributes.equivalents();
  for (const rule of rules) {
    const found = others.find(({ resource }) => ruleMatches(rule, attributes, resource));
    if (found !== undefined) return found;
  }
  return undefined;
}
