import { text } from "../../api/json.ts";
import type { Draft } from "../kinds/kind.ts";
import { badRequest } from "./status-error.ts";

/** The namespace of the request fills a missing one; another one is refused. */
export function matchNamespace(draft: Draft, requested: string): void {
  const given = text(draft.metadata, "namespace");
  if (given === requested) return;
  if (given !== "" && requested !== "")
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  if (requested === "") delete draft.metadata["namespace"];
  else draft.metadata["namespace"] = requested;
}
