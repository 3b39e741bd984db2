import { messageOf } from "../../api/errors.ts";
import { parseTime } from "../../api/time.ts";
import type { Pod } from "../../api/types/core-v1.gen.ts";
import type { Draft } from "../kinds/kind.ts";
import { admitBody } from "./admit.ts";
import type { Call } from "./call.ts";
import type { ContainerTarget, PodProcesses, ProcessStreams } from "./pod-processes.ts";
import { booleanParameter } from "./query-options.ts";
import { findStored } from "./read.ts";
import type { ApiResponse, PortSession, Session } from "./request.ts";
import { badRequest, StatusError } from "./status-error.ts";

/** What a kubelet would answer. */
const ofKubelets = new Set(["log", "exec", "attach", "portforward", "proxy"]);
const sessions = new Set(["exec", "attach", "portforward"]);

export const isOfKubelets = (subresource: string): boolean => ofKubelets.has(subresource.split("/")[0] ?? "");

/** Subresources whose GET does what a POST does: whoever may only look may not use it. */
export const needsCreate = (subresource: string): boolean => sessions.has(subresource);

/** Logs of pods and sessions with their processes, where the cluster has such; all else is refused. */
export async function askKubelet(call: Call): Promise<ApiResponse> {
  const { subresource, plural } = call.info;
  const { processes } = call;
  if (plural !== "pods" || processes === undefined) throw noProcesses(subresource);
  switch (subresource) {
    case "log":
      return podLog(call, processes);
    case "exec":
    case "attach":
      return podSession(call, processes);
    case "portforward":
      return podPorts(call, processes);
    default:
      throw noProcesses(subresource);
  }
}

function noProcesses(subresource: string): StatusError {
  const message = `${subresource}: there are no processes behind the pods, nodes and services of this cluster`;
  return new StatusError(501, "NotImplemented", message);
}

async function podLog(call: Call, processes: PodProcesses): Promise<ApiResponse> {
  const { query, signal } = call.request;
  const sinceSeconds = numberParameter(call, "sinceSeconds", 1);
  const tailLines = numberParameter(call, "tailLines", 0);
  const limitBytes = numberParameter(call, "limitBytes", 1);
  const sinceTime = query.get("sinceTime") ?? "";
  if (sinceSeconds !== undefined && sinceTime !== "")
    throw invalidOptions(call, "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified");
  const target = targetOf(call);
  const headers = { "content-type": "text/plain" };
  if (target === undefined) return { status: 204, headers, body: { kind: "text", text: "" } };
  const sinceMs = sinceSeconds === undefined ? timeOf(sinceTime) : call.clock.nowMs() - sinceSeconds * 1_000;
  const chunks = await processes.logs(
    {
      ...target,
      follow: booleanParameter(query, "follow") === true,
      previous: booleanParameter(query, "previous") === true,
      timestamps: booleanParameter(query, "timestamps") === true,
      sinceMs,
      tailLines,
      limitBytes,
    },
    signal ?? new AbortController().signal,
  );
  return { status: 200, headers, body: { kind: "stream", chunks } };
}

async function podSession(call: Call, processes: PodProcesses): Promise<ApiResponse> {
  const { query, headers } = call.request;
  const { subresource } = call.info;
  const asked = (name: string): boolean => booleanParameter(query, name) === true;
  const command = query.getAll("command");
  const tty = asked("tty");
  const wants = { stdin: asked("stdin"), stdout: asked("stdout"), stderr: asked("stderr") && !tty };
  await admitConnection(call, subresource, { ...wants, stderr: asked("stderr"), tty });
  const target = targetOf(call);
  if (target === undefined) throw badRequest(`pod ${call.info.name} does not have a host assigned`);
  if (!wants.stdin && !wants.stdout && !wants.stderr)
    throw badRequest("you must specify at least 1 of stdin, stdout, stderr");
  if (subresource === "exec" && command.length === 0)
    throw badRequest("you must specify at least 1 command for the container");
  if (headers["upgrade"]?.toLowerCase() !== "websocket") {
    // Clients of old speak SPDY; kubectl tries it only where this is not understood.
    throw badRequest("Upgrade request required: websocket with v5.channel.k8s.io or v4.channel.k8s.io");
  }
  const session: Session = {
    ...wants,
    run: async (streams: ProcessStreams, signal) =>
      subresource === "exec"
        ? processes.exec({ ...target, command, tty }, streams, signal)
        : processes.attach({ ...target, tty }, streams, signal),
  };
  return { status: 101, headers: {}, body: { kind: "session", session } };
}

async function podPorts(call: Call, processes: PodProcesses): Promise<ApiResponse> {
  const { query, headers } = call.request;
  if (processes.forward === undefined) throw noProcesses(call.info.subresource);
  const ports = query.getAll("ports").flatMap((text) => text.split(",").map(portOf));
  await admitConnection(call, "portforward", ports.length === 0 ? {} : { ports });
  const target = podTargetOf(call);
  if (target === undefined) throw badRequest(`pod ${call.info.name} does not have a host assigned`);
  if (!["websocket", "spdy/3.1"].includes(headers["upgrade"]?.toLowerCase() ?? ""))
    throw badRequest("Upgrade request required: websocket or SPDY/3.1");
  const open: PortSession["open"] = async (port, connection, signal) =>
    processes.forward?.({ ...target, port }, connection, signal);
  return { status: 101, headers: {}, body: { kind: "ports", session: { ports, open } } };
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw badRequest(`invalid port ${JSON.stringify(text)}`);
  return port;
}

const connectionKinds: Readonly<Record<string, string>> = {
  exec: "PodExecOptions",
  attach: "PodAttachOptions",
  portforward: "PodPortForwardOptions",
};

/** Those who admit may refuse it; what they change of its options is not listened to. */
async function admitConnection(
  call: Call,
  subresource: string,
  wants: Readonly<Record<string, unknown>>,
): Promise<void> {
  const kind = connectionKinds[subresource];
  if (call.admission.outside === undefined || kind === undefined) return;
  const { query } = call.request;
  const container = query.get("container") ?? "";
  const command = query.getAll("command");
  const options = {
    kind,
    apiVersion: "v1",
    ...Object.fromEntries(Object.entries(wants).filter(([, asked]) => asked !== false)),
    ...(container === "" ? {} : { container }),
    ...(command.length === 0 ? {} : { command }),
  };
  const bodyKind = { group: "", version: "v1", kind };
  const facts = { operation: "CONNECT", name: call.info.name, before: undefined, bodyKind } as const;
  await admitBody(call, { dryRun: false }, facts, options as unknown as Draft);
}

/** Undefined for a pod that has no node yet. */
function targetOf(call: Call): ContainerTarget | undefined {
  const container = containerOf(findStored(call), call.request.query.get("container") ?? "");
  const target = podTargetOf(call);
  return target && { ...target, container };
}

/** As `targetOf`, of all containers. */
function podTargetOf(call: Call): Omit<ContainerTarget, "container"> | undefined {
  const pod: Pod = findStored(call);
  const { uid } = pod.metadata;
  if ((pod.spec?.nodeName ?? "") === "") return undefined;
  const podNow = (): Pod | undefined => {
    try {
      const now: Pod = findStored(call);
      return now.metadata.uid === uid ? now : undefined;
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    }
  };
  return { pod, podNow };
}

function containerOf({ metadata, spec }: Pod, asked: string): string {
  const main = spec?.containers ?? [];
  const names = [...(spec?.initContainers ?? []), ...main, ...(spec?.ephemeralContainers ?? [])].map(
    ({ name }) => name,
  );
  if (asked !== "") {
    if (names.includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${metadata.name}`);
  }
  const [only] = main;
  if (main.length === 1 && only !== undefined) return only.name;
  throw badRequest(
    `a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(" ")}]`,
  );
}

function timeOf(text: string): number | undefined {
  if (text === "") return undefined;
  try {
    return parseTime(text);
  } catch (error) {
    throw badRequest(messageOf(error));
  }
}

function numberParameter(call: Call, name: string, least: 0 | 1): number | undefined {
  const text = call.request.query.get(name);
  if (text === null || text === "") return undefined;
  if (!/^-?\d+$/.test(text)) throw badRequest(`${name}: invalid syntax: ${JSON.stringify(text)}`);
  const value = Number(text);
  if (value >= least) return value;
  const limit = least === 0 ? "greater than or equal to 0" : "greater than 0";
  throw invalidOptions(call, `${name}: Invalid value: ${value}: must be ${limit}`);
}

function invalidOptions({ info }: Call, why: string): StatusError {
  return new StatusError(422, "Invalid", `PodLogOptions ${JSON.stringify(info.name)} is invalid: ${why}`);
}
