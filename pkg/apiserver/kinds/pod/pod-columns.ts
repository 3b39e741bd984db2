import type { Json } from "../../../api/json.ts";
import { child, count, flag, items, optionalText, present, text } from "../../../api/json.ts";
import type { TableColumn } from "../kind.ts";
import { ageColumn, column, nameColumn, since } from "../table.ts";

interface PodSummary {
  readonly ready: number;
  readonly total: number;
  readonly status: string;
  readonly restarts: number;
  /** RFC 3339, "" when nothing has restarted. */
  readonly lastRestart: string;
}

/** The state of a pod in one word and three numbers. */
function summarize(pod: Json): PodSummary {
  const spec = child(pod, "spec");
  const status = child(pod, "status");
  const sidecars = new Set(
    items(spec, "initContainers")
      .filter((container) => text(container, "restartPolicy") === "Always")
      .map((container) => text(container, "name")),
  );
  const start = { reason: firstReason(status), total: items(spec, "containers").length + sidecars.size };
  const init = summarizeInit(spec, status, sidecars);
  if (init.reason !== undefined && !hasCondition(status, "Initialized")) {
    return finish(pod, { ...init, total: start.total, status: init.reason });
  }
  const main = summarizeContainers(status, init.reason ?? start.reason);
  const restarts = restartsOf(
    items(status, "initContainerStatuses").filter((one) => sidecars.has(text(one, "name"))),
  );
  const own = restartsOf(items(status, "containerStatuses"));
  return finish(pod, {
    ready: init.ready + main.ready,
    total: start.total,
    status: main.reason,
    restarts: restarts.restarts + own.restarts,
    lastRestart: restarts.lastRestart > own.lastRestart ? restarts.lastRestart : own.lastRestart,
  });
}

function firstReason(status: Json | undefined): string {
  const gated = items(status, "conditions").some(
    (one) => text(one, "type") === "PodScheduled" && text(one, "reason") === "SchedulingGated",
  );
  if (gated) return "SchedulingGated";
  return text(status, "reason") || text(status, "phase");
}

function hasCondition(status: Json | undefined, type: string): boolean {
  return items(status, "conditions").some(
    (one) => text(one, "type") === type && text(one, "status") === "True",
  );
}

function restartsOf(statuses: readonly Json[]): { restarts: number; lastRestart: string } {
  let lastRestart = "";
  let restarts = 0;
  for (const one of statuses) {
    restarts += count(one, "restartCount");
    const finished = text(child(child(one, "lastState"), "terminated"), "finishedAt");
    if (finished > lastRestart) lastRestart = finished;
  }
  return { restarts, lastRestart };
}

function endReason(terminated: Json, prefix: string): string {
  const reason = text(terminated, "reason");
  if (reason !== "") return `${prefix}${reason}`;
  const signal = count(terminated, "signal");
  return signal === 0 ? `${prefix}ExitCode:${count(terminated, "exitCode")}` : `${prefix}Signal:${signal}`;
}

/** `reason` is there while the init containers are not through. */
function summarizeInit(
  spec: Json | undefined,
  status: Json | undefined,
  sidecars: ReadonlySet<string>,
): { ready: number; reason: string | undefined; restarts: number; lastRestart: string } {
  const statuses = items(status, "initContainerStatuses");
  let ready = 0;
  for (const [index, one] of statuses.entries()) {
    const state = child(one, "state");
    const terminated = child(state, "terminated");
    if (terminated !== undefined && count(terminated, "exitCode") === 0) continue;
    if (sidecars.has(text(one, "name")) && flag(one, "started")) {
      if (flag(one, "ready")) ready++;
      continue;
    }
    const waiting = text(child(state, "waiting"), "reason");
    let reason = `Init:${index}/${items(spec, "initContainers").length}`;
    if (terminated !== undefined) reason = endReason(terminated, "Init:");
    else if (waiting !== "" && waiting !== "PodInitializing") reason = `Init:${waiting}`;
    return { ready, reason, ...restartsOf(statuses.slice(0, index + 1)) };
  }
  return { ready, reason: undefined, restarts: 0, lastRestart: "" };
}

function summarizeContainers(status: Json | undefined, initial: string): { ready: number; reason: string } {
  let reason = initial;
  let errorReason = "";
  let ready = 0;
  for (const one of items(status, "containerStatuses").toReversed()) {
    const state = child(one, "state");
    const waiting = text(child(state, "waiting"), "reason");
    const terminated = child(state, "terminated");
    if (waiting !== "") reason = waiting;
    else if (terminated !== undefined) {
      reason = endReason(terminated, "");
      if (count(terminated, "exitCode") !== 0) errorReason = reason;
    } else if (flag(one, "ready") && present(state, "running")) ready++;
  }
  // One container that has ended does not make a pod with others completed.
  if (reason === "Completed") {
    if (ready > 0 && hasCondition(status, "Ready")) reason = "Running";
    else if (errorReason !== "") reason = errorReason;
    else if (ready > 0) reason = "NotReady";
  }
  return { ready, reason };
}

function finish(pod: Json, summary: PodSummary): PodSummary {
  if (!present(child(pod, "metadata"), "deletionTimestamp")) return summary;
  const status = child(pod, "status");
  if (text(status, "reason") === "NodeLost") return { ...summary, status: "Unknown" };
  const phase = text(status, "phase");
  return phase === "Failed" || phase === "Succeeded" ? summary : { ...summary, status: "Terminating" };
}

function restartsCell({ restarts, lastRestart }: PodSummary, nowMs: number): string {
  return restarts === 0 || lastRestart === ""
    ? String(restarts)
    : `${restarts} (${since(lastRestart, nowMs)} ago)`;
}

function readinessGates(pod: Json): string {
  const gates = items(child(pod, "spec"), "readinessGates");
  if (gates.length === 0) return "<none>";
  const conditions = items(child(pod, "status"), "conditions");
  const passed = gates.filter((gate) => {
    const condition = conditions.find((one) => text(one, "type") === text(gate, "conditionType"));
    return text(condition, "status") === "True";
  });
  return `${passed.length}/${gates.length}`;
}

export const podColumns: readonly TableColumn[] = [
  nameColumn,
  column("Ready", (pod) => {
    const { ready, total } = summarize(pod);
    return `${ready}/${total}`;
  }),
  column("Status", (pod) => summarize(pod).status),
  column("Restarts", (pod, nowMs) => restartsCell(summarize(pod), nowMs)),
  ageColumn,
  column("IP", (pod) => text(items(child(pod, "status"), "podIPs")[0], "ip") || "<none>", { wide: true }),
  column("Node", (pod) => text(child(pod, "spec"), "nodeName") || "<none>", { wide: true }),
  column("Nominated Node", (pod) => optionalText(child(pod, "status"), "nominatedNodeName") ?? "<none>", {
    wide: true,
  }),
  column("Readiness Gates", readinessGates, { wide: true }),
];
