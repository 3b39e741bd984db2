import { formatTime } from "../../api/time.ts";
import { asJson, child, isJson, items, text } from "../kinds/json.ts";
import type { Draft } from "../kinds/kind.ts";
import type { Call } from "./call.ts";
import { toDeleteOptions } from "./delete-options.ts";
import { removeObject } from "./delete.ts";
import { type DisruptionDecision, disruptionDecision } from "./disruption-budget.ts";
import { copyJson } from "../kinds/json-copy.ts";
import { requireJsonBody } from "./negotiate.ts";
import { parsePatch } from "./patch.ts";
import { parseWriteQuery, type WriteQuery } from "./query-options.ts";
import { findStored } from "./read.ts";
import type { ApiResponse } from "./request.ts";
import { badRequest } from "./status-error.ts";
import { writeExisting } from "./update.ts";

/** POST pods/NAME/eviction: a delete that disruption budgets may refuse. */
export async function evict(call: Call): Promise<ApiResponse> {
  const { request, info } = call;
  const query = parseWriteQuery(request.query, "CreateOptions");
  requireJsonBody(request.headers["content-type"]);
  const body = parsePatch(request.body);
  if (!isJson(body)) throw badRequest("the object provided is unrecognized (must be of type Eviction)");
  if (text(child(body, "metadata"), "name") !== info.name)
    throw badRequest("name in URL does not match name in Eviction object");
  const pod = findStored(call);
  const raw = child(body, "deleteOptions") ?? {};
  const options = toDeleteOptions({ ...raw, ...(query.dryRun ? { dryRun: ["All"] } : {}) });
  const decision =
    needsBudget(asJson(pod)) && pod.metadata.deletionTimestamp === undefined
      ? await disruptionDecision(call, pod, options.dryRun)
      : undefined;
  const podCall: Call = { ...call, info: { ...info, subresource: "" } };
  if (!options.dryRun) await markDisrupted(podCall, query, decision);
  await removeObject({ ...podCall, verb: "delete" }, options);
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return { status: 201, headers: {}, body: { kind: "object", value: status } };
}

/** Says in the pod's status why it goes, before it goes. */
async function markDisrupted(call: Call, query: WriteQuery, decision: DisruptionDecision): Promise<void> {
  const lastTransitionTime = formatTime(call.clock.nowMs());
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
    lastTransitionTime,
  };
  await writeExisting({ ...call, info: { ...call.info, subresource: "status" } }, query, {
    anyVersion: true,
    next: (pod) => {
      const draft = copyJson(asJson(pod)) as Draft;
      const status = child(draft, "status") ?? {};
      const others = items(status, "conditions").filter((one) => one["type"] !== condition.type);
      draft["status"] = { ...status, conditions: [...others, condition] };
      // The decision for an unhealthy pod holds for the state that it was made on.
      draft.metadata["resourceVersion"] = decision?.podVersion ?? "";
      return draft;
    },
  });
}

/** Pods that have ended, or never began, disrupt nothing. */
function needsBudget(pod: Record<string, unknown>): boolean {
  const phase = text(child(pod, "status"), "phase");
  return phase !== "Succeeded" && phase !== "Failed" && phase !== "Pending" && phase !== "";
}
