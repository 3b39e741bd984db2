import { quotedAsInGo } from "../../api/go-quote.ts";
import { withPodCondition } from "../../api/pod.ts";
import type { PodCondition, PodStatus } from "../../api/types/core-v1.gen.ts";
import { asJson, child, items, type Json, stringMap, text } from "../../api/json.ts";
import { FieldErrors } from "../kinds/field-errors.ts";
import { pathSegment } from "../kinds/formats.ts";
import type { Draft } from "../kinds/kind.ts";
import { admitSubresource, withinServer } from "./admit.ts";
import type { Call } from "./call.ts";
import { copyJson } from "../../api/json-copy.ts";
import { readBodyOfKind } from "./draft.ts";
import { requireObjectBody } from "./negotiate.ts";
import { parseWriteQuery } from "./query-options.ts";
import type { ApiResponse } from "./request.ts";
import { badRequest, conflict, internal, noSuchResource } from "./status-error.ts";
import { writeExisting } from "./update.ts";

const bindingKind = { group: "", version: "v1", kind: "Binding" };
/** What messages call it. */
const bindingResource = { group: "", plural: "pods/binding" };
const scheduled: PodCondition = { type: "PodScheduled", status: "True", lastProbeTime: null };

/** POST pods/NAME/binding: a scheduler puts the pod on a node. */
export async function binding(call: Call): Promise<ApiResponse> {
  return bind(call, call);
}

/** `asked`: as those who admit are asked about it. */
async function bind(call: Call, asked: Call): Promise<ApiResponse> {
  const { request, info, clock } = call;
  const query = parseWriteQuery(request.query, "CreateOptions");
  requireObjectBody(request.headers["content-type"]);
  const body = await call.turns.run(readBodyOfKind(bindingKind, request.body, query, call.warnings));
  await admitSubresource(asked, query, bindingKind, body);
  const metadata = child(body, "metadata");
  if (text(metadata, "name") !== info.name)
    throw badRequest("name in URL does not match name in Binding object");
  const node = bindingTarget(body);
  requirePathSegment(info.name);
  await writeExisting(withinServer(call), query, {
    precondition: (before) => {
      const pod = asJson(before);
      const uid = text(metadata, "uid");
      if (uid !== "" && uid !== before.metadata.uid)
        throw conflict(
          bindingResource,
          info.name,
          `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${before.metadata.uid ?? ""}`,
        );
      if (before.metadata.deletionTimestamp !== undefined)
        throw conflict(
          bindingResource,
          info.name,
          `pod ${info.name} is being deleted, cannot be assigned to a host`,
        );
      const assigned = text(child(pod, "spec"), "nodeName");
      if (assigned !== "")
        throw conflict(
          bindingResource,
          info.name,
          `pod ${info.name} is already assigned to node ${JSON.stringify(assigned)}`,
        );
      if (items(child(pod, "spec"), "schedulingGates").length > 0)
        throw conflict(bindingResource, info.name, `pod ${info.name} has non-empty .spec.schedulingGates`);
    },
    anyVersion: true,
    next: (before) => boundPod(copyJson(asJson(before)) as Draft, node, metadata, clock.nowMs()),
  });
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return { status: 201, headers: {}, body: { kind: "object", value: status } };
}

/** POST bindings: the same as it once was, with the pod's name in the body alone. */
export async function legacyBinding(call: Call): Promise<ApiResponse> {
  const pods = call.registry.find("", "v1", "pods");
  if (pods === undefined) throw noSuchResource();
  parseWriteQuery(call.request.query, "CreateOptions");
  // Its words are heard once, when the pod is bound.
  const query = { fieldValidation: "Ignore" } as const;
  const body = await call.turns.run(readBodyOfKind(bindingKind, call.request.body, query, []));
  const name = text(child(body, "metadata"), "name");
  const info = { ...call.info, plural: "pods", name, subresource: "binding" };
  return bind({ ...call, served: pods, info }, call);
}

/** upstream: what names an object in the storage. */
function requirePathSegment(name: string): void {
  if (name === "") throw badRequest("Name parameter required.");
  const problems = pathSegment(name);
  if (problems.length > 0)
    throw badRequest(`Name parameter invalid: ${quotedAsInGo(name)}: ${problems.join(";")}`);
}

/** What is wrong with it is no 422: upstream hands these errors on as they are. */
function bindingTarget(body: Json): string {
  const target = child(body, "target");
  const kind = text(target, "kind");
  const node = text(target, "name");
  const errors = new FieldErrors();
  if (kind !== "" && kind !== "Node") errors.notSupported("target.kind", kind, ["Node", "<empty>"]);
  if (node === "") errors.required("target.name");
  const lines = errors.list.map(({ field, message }) => `${field}: ${message}`);
  if (lines.length > 0) throw internal(lines.length === 1 ? (lines[0] ?? "") : `[${lines.join(", ")}]`);
  return node;
}

function boundPod(pod: Draft, node: string, metadata: Json | undefined, nowMs: number): Draft {
  const spec = child(pod, "spec") ?? {};
  pod["spec"] = { ...spec, nodeName: node };
  const annotations = stringMap(metadata, "annotations");
  if (Object.keys(annotations).length > 0)
    pod.metadata["annotations"] = { ...stringMap(pod.metadata, "annotations"), ...annotations };
  const labels = stringMap(metadata, "labels");
  if (Object.keys(labels).length > 0)
    pod.metadata["labels"] = { ...stringMap(pod.metadata, "labels"), ...labels };
  const { nominatedNodeName: _, ...status }: PodStatus = child(pod, "status") ?? {};
  pod["status"] = withPodCondition(status, scheduled, nowMs);
  // A binding that names no version binds whatever version there is.
  pod.metadata["resourceVersion"] = "";
  return pod;
}
