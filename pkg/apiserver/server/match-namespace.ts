import { text } from "../../api/json.ts";
import type { Draft } from "../kinds/kind.ts";
import type { Call } from "./call.ts";
import { badRequest } from "./status-error.ts";

/** The namespace of the request fills a missing one; another one is refused. */
export function matchNamespace(draft: Draft, { served, info }: Pick<Call, "served" | "info">): void {
  const requested = served.resource.namespaced ? info.namespace : "";
  const given = text(draft.metadata, "namespace");
  if (given === requested) return;
  if (given !== "" && requested !== "")
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  if (requested === "") delete draft.metadata["namespace"];
  else draft.metadata["namespace"] = requested;
}

/** Namespace and name are those that the path says. */
export function matchPath(draft: Draft, call: Pick<Call, "served" | "info">): void {
  matchNamespace(draft, call);
  requireName(draft, call.info.name);
}

function requireName(draft: Draft, name: string): void {
  const given = text(draft.metadata, "name");
  if (given === "")
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}
