import type { ApiObject } from "../../api/object.ts";
import { selectorFromSpec } from "../../api/label-selector.ts";
import { formatTime } from "../../api/time.ts";
import { asJson, child, count, count64, items, type Json, text } from "../../api/json.ts";
import type { Draft } from "../kinds/kind.ts";
import type { Call } from "./call.ts";
import { copyJson } from "../../api/json-copy.ts";
import { StatusError, forbidden, tooManyRequests } from "./status-error.ts";
import { writeExisting } from "./update.ts";

const budgetResource = { group: "policy", plural: "poddisruptionbudget" };
const refusal = "Cannot evict pod as it would violate the pod's disruption budget.";
/** More unconfirmed evictions than this mean that nobody confirms them. */
const maxUnconfirmed = 2000;

/** A write that loses against others starts over, this many times as often as other writes do. */
const takeAttempts = 20;

/** "spared": the pod costs its budget nothing, as it is unhealthy, as long as it is so. */
export type Disruption =
  | { readonly kind: "free" }
  | { readonly kind: "taken" }
  | { readonly kind: "spared"; readonly budget: string };

/**
 * Takes one disruption off the budget that covers the pod; throws when the budget has none left. An unhealthy pod
 * costs nothing while enough others are healthy, or where the budget says so.
 */
export async function takeDisruption(call: Call, pod: ApiObject, dryRun: boolean): Promise<Disruption> {
  const [budget, ...more] = budgetsOf(call, pod);
  if (budget === undefined) return { kind: "free" };
  if (more.length > 0)
    throw new StatusError(
      500,
      undefined,
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  const { name = "" } = budget.metadata;
  if (!isReady(pod) && sparesUnhealthy(asJson(budget))) return { kind: "spared", budget: name };
  await takeOne(call, name, pod.metadata.name ?? "", dryRun);
  return { kind: "taken" };
}

/** The refusal of who may come again in a moment. */
export function stillProcessed(budgetName: string): StatusError {
  return refused(`The disruption budget ${budgetName} is still being processed by the server.`, 10);
}

function budgetsOf({ store }: Call, pod: ApiObject): readonly ApiObject[] {
  const { namespace = "", labels } = pod.metadata;
  const { items: budgets } = store.scan("policy/poddisruptionbudgets", { prefix: `${namespace}/` });
  return budgets.filter((budget) => {
    const selector = child(child(asJson(budget), "spec"), "selector");
    return selector !== undefined && selectorFromSpec(selector).matches(labels);
  });
}

function isReady(pod: ApiObject): boolean {
  const conditions = items(child(asJson(pod), "status"), "conditions");
  return conditions.some((condition) => condition["type"] === "Ready" && condition["status"] === "True");
}

function sparesUnhealthy(budget: Json): boolean {
  if (text(child(budget, "spec"), "unhealthyPodEvictionPolicy") === "AlwaysAllow") return true;
  const status = child(budget, "status");
  const desired = count(status, "desiredHealthy");
  return desired > 0 && count(status, "currentHealthy") >= desired;
}

async function takeOne(call: Call, budgetName: string, podName: string, dryRun: boolean): Promise<void> {
  const served = call.registry.find("policy", "v1", "poddisruptionbudgets");
  if (served === undefined) throw new Error("disruption budgets are not served");
  const info = {
    ...call.info,
    group: "policy",
    plural: "poddisruptionbudgets",
    name: budgetName,
    subresource: "status",
  };
  const query = {
    dryRun,
    fieldManager: "kube-apiserver",
    fieldValidation: "Ignore",
    force: false,
  } as const;
  for (let attempt = 1; ; attempt++) {
    try {
      await writeExisting({ ...call, served, info, verb: "update" }, query, {
        precondition: (budget) => requireAllowance(budget),
        anyVersion: true,
        next: (budget) => withOneLess(budget, podName, formatTime(call.clock.nowMs())),
      });
      return;
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== "Conflict") throw error;
      if (attempt < takeAttempts) continue;
      const message = `couldn't update PodDisruptionBudget ${JSON.stringify(budgetName)} due to conflicts`;
      throw new StatusError(504, "Timeout", `Timeout: ${message}`, {
        details: { retryAfterSeconds: 10 },
        cause: error,
      });
    }
  }
}

function withOneLess(budget: ApiObject, podName: string, now: string): Draft {
  const draft = copyJson(asJson(budget)) as Draft;
  const status = child(draft, "status") ?? {};
  const allowed = count(status, "disruptionsAllowed") - 1;
  const disruptedPods = { ...child(status, "disruptedPods"), [podName]: now };
  draft["status"] = {
    ...status,
    disruptionsAllowed: allowed,
    disruptedPods,
    conditions: allowed === 0 ? conditionsWithout(budget, now) : items(status, "conditions"),
  };
  // A version in the draft would make a write that came in between a conflict instead of a second look.
  draft.metadata["resourceVersion"] = "";
  return draft;
}

function conditionsWithout(budget: ApiObject, now: string): readonly Json[] {
  const conditions = items(child(asJson(budget), "status"), "conditions");
  const others = conditions.filter((condition) => condition["type"] !== "DisruptionAllowed");
  const exhausted = {
    type: "DisruptionAllowed",
    status: "False",
    reason: "InsufficientPods",
    message: "",
    observedGeneration: budget.metadata.generation ?? 0,
    lastTransitionTime: now,
  };
  return [...others, exhausted];
}

function requireAllowance(budget: ApiObject): void {
  const name = budget.metadata.name ?? "";
  const status = child(asJson(budget), "status");
  if (count64(status, "observedGeneration") < (budget.metadata.generation ?? 0)) throw stillProcessed(name);
  const allowed = count(status, "disruptionsAllowed");
  if (allowed < 0) throw forbidden(budgetResource, name, "pdb disruptions allowed is negative");
  if (Object.keys(child(status, "disruptedPods") ?? {}).length > maxUnconfirmed)
    throw forbidden(
      budgetResource,
      name,
      "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
    );
  if (allowed === 0) throw refused(refusalDetail(name, status), 0);
}

function refusalDetail(name: string, status: Json | undefined): string {
  const condition = items(status, "conditions").find(
    (one) => one["type"] === "DisruptionAllowed" && one["status"] === "False",
  );
  const message = text(condition, "message");
  const desired = count(status, "desiredHealthy");
  const current = count(status, "currentHealthy");
  const cannot = `The disruption budget ${name} does not allow evicting pods currently`;
  if (message !== "" && text(condition, "reason") === "SyncFailed")
    return `${cannot} because it failed sync: ${message}`;
  if (current <= desired)
    return `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`;
  return message === "" ? cannot : `${cannot} (${text(condition, "reason")}): ${message}`;
}

function refused(detail: string, retryAfterSeconds: number): StatusError {
  return tooManyRequests(refusal, retryAfterSeconds, [{ reason: "DisruptionBudget", message: detail }]);
}
