import type { ApiObject } from "../../api/object.ts";
import { copyJson } from "../../api/json-copy.ts";
import { withPodCondition } from "../../api/pod.ts";
import type { PodCondition, PodStatus } from "../../api/types/core-v1.gen.ts";
import { asJson, child, strings, text } from "../../api/json.ts";
import { readJsonBody } from "../decode/json-body.ts";
import type { Draft } from "../kinds/kind.ts";
import { admitSubresource, withinServer } from "./admit.ts";
import type { Call } from "./call.ts";
import { type DeleteOptions, toDeleteOptions } from "./delete-options.ts";
import { checkPreconditions, removeObject } from "./delete.ts";
import { stillProcessed, takeDisruption } from "./disruption-budget.ts";
import { readBodyOfKind } from "./draft.ts";
import { requireObjectBody } from "./negotiate.ts";
import { parseWriteQuery, type WriteQuery } from "./query-options.ts";
import { findStored } from "./read.ts";
import type { ApiResponse } from "./request.ts";
import { badRequest, internal, StatusError } from "./status-error.ts";
import { writeExisting } from "./update.ts";

/** How often a pod that changes under the eviction's hands is looked at anew. */
const ATTEMPTS = 20;
const evictionKind = { group: "policy", version: "v1", kind: "Eviction" };
const evicted: PodCondition = {
  type: "DisruptionTarget",
  status: "True",
  reason: "EvictionByEvictionAPI",
  message: "Eviction API: evicting",
  lastProbeTime: null,
};
const VERSIONS = new Set(["", "policy/v1", "policy/v1beta1"]);

/** POST pods/NAME/eviction: a delete that disruption budgets may refuse. */
export async function evict(call: Call): Promise<ApiResponse> {
  const { request, info } = call;
  const query = parseWriteQuery(request.query, "CreateOptions");
  requireObjectBody(request.headers["content-type"]);
  const given = readJsonBody(request.body, "Eviction");
  requireVersion(text(given, "apiVersion"));
  const value = { ...given, apiVersion: "policy/v1" };
  const body = await call.turns.run(readBodyOfKind(evictionKind, { value }, query, call.warnings));
  const name = text(child(body, "metadata"), "name");
  await admitSubresource(call, query, evictionKind, body);
  if (name !== info.name) throw badRequest("name in URL does not match name in Eviction object");
  const raw = child(body, "deleteOptions") ?? {};
  requireSameDryRun(request.query.getAll("dryRun"), strings(raw, "dryRun"));
  const options = toDeleteOptions({ ...raw, ...(query.dryRun ? { dryRun: ["All"] } : {}) });
  const own = withinServer({ ...call, info: { ...info, subresource: "" } });
  const eviction: Eviction = { call: own, query, options };
  if (!(await removeWithoutBudget(eviction))) await removeWithinBudget(eviction);
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return { status: 201, headers: {}, body: { kind: "object", value: status } };
}

interface Eviction {
  readonly call: Call;
  readonly query: WriteQuery;
  readonly options: DeleteOptions;
}

/** What is only to be tried may be said in the query, in the options, or in both alike. */
function requireSameDryRun(asked: readonly string[], given: readonly string[]): void {
  if (asked.length === 0 || given.length === 0) return;
  const [inQuery, inOptions] = [asked, given].map((values) => `[${values.join(" ")}]`);
  if (inQuery === inOptions) return;
  throw internal(`Non-matching dry-run options in request and content: ${inQuery} and ${inOptions}`);
}

function requireVersion(apiVersion: string): void {
  if (VERSIONS.has(apiVersion)) return;
  throw badRequest(
    `Eviction in version ${JSON.stringify(apiVersion.split("/").at(-1))} cannot be handled as a Eviction: no kind ` +
      `"Eviction" is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
  );
}

/** Pods that have ended, are ending or never began disrupt nothing. False: this one is not of these. */
async function removeWithoutBudget(eviction: Eviction): Promise<boolean> {
  const { call, options } = eviction;
  for (let attempt = 1; ; attempt++) {
    const pod = findStored(call);
    const phase = text(child(asJson(pod), "status"), "phase");
    const hasEnded = phase === "Succeeded" || phase === "Failed";
    const isEnding = pod.metadata.deletionTimestamp !== undefined;
    if (!hasEnded && !isEnding && phase !== "Pending" && phase !== "") return false;
    try {
      // One that has yet to begin must not do so unseen.
      await remove(eviction, hasEnded || isEnding ? undefined : pod);
      return true;
    } catch (error) {
      const mayLookAgain = options.resourceVersion === undefined && attempt < ATTEMPTS;
      if (!isConflict(error) || !mayLookAgain) throw error;
    }
  }
}

async function removeWithinBudget(eviction: Eviction): Promise<void> {
  const { call, options } = eviction;
  const pod = findStored(call);
  const taken = await takeDisruption(call, pod, options.dryRun);
  try {
    // An unhealthy pod goes for nothing only as long as it is unhealthy.
    await remove(eviction, taken.kind === "spared" ? pod : undefined);
  } catch (error) {
    const isOurs = taken.kind === "spared" && options.resourceVersion === undefined;
    throw isOurs && isConflict(error) ? stillProcessed(taken.budget) : error;
  }
}

/** Says in the pod's status why it goes, and then deletes it; only if it is still as it was, where that is given. */
async function remove({ call, query, options }: Eviction, seen: ApiObject | undefined): Promise<void> {
  const resourceVersion = options.resourceVersion ?? seen?.metadata.resourceVersion;
  const conditions = { uid: options.uid, resourceVersion };
  // Upstream's first look takes what is given empty for not given.
  const first = { uid: options.uid || undefined, resourceVersion: resourceVersion || undefined };
  if (options.dryRun) {
    await removeObject({ ...call, verb: "delete" }, { ...options, ...conditions });
    return;
  }
  const marked = await writeExisting({ ...call, info: { ...call.info, subresource: "status" } }, query, {
    anyVersion: true,
    precondition: (pod) => checkPreconditions(call, first, pod),
    next: (pod) => withCondition(pod, call.clock.nowMs()),
  });
  // The version is another now, which is our own doing.
  const latest = resourceVersion === undefined ? undefined : marked.metadata.resourceVersion;
  await removeObject({ ...call, verb: "delete" }, { ...options, resourceVersion: latest });
}

function withCondition(pod: ApiObject, nowMs: number): Draft {
  const draft = copyJson(asJson(pod)) as Draft;
  const status: PodStatus = child(draft, "status") ?? {};
  draft["status"] = withPodCondition(status, evicted, nowMs);
  draft.metadata["resourceVersion"] = "";
  return draft;
}

function isConflict(error: unknown): boolean {
  return error instanceof StatusError && error.reason === "Conflict";
}
