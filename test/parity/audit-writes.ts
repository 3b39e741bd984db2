import type { AuditEvent } from "../harness/audit-log.ts";
import type { ActorWrite } from "./activity.ts";

const writeVerbs: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** The write that this event tells of; undefined for reads, Leases, Events and what the API server does itself. */
export function writeOf(event: AuditEvent): ActorWrite | undefined {
  const { verb, objectRef, userAgent, responseStatus } = event;
  const { resource = "", subresource, namespace = "" } = objectRef ?? {};
  if (event.stage !== "ResponseComplete" || !writeVerbs.has(verb)) return undefined;
  if (userAgent?.startsWith("kube-apiserver/") === true) return undefined;
  if (resource === "events" || resource === "leases") return undefined;
  return {
    actor: userAgent?.split("/").at(-1) ?? "",
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace,
    name: objectRef?.name ?? "",
    status: responseStatus?.code ?? 0,
  };
}
