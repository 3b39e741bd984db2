import { dnsLabelProblems } from "../../api/names.ts";
import type { ApiObject } from "../../api/object.ts";
import { text } from "../../api/json.ts";
import type { Draft } from "./kind.ts";

/** A name that is fine for the object but not for the hostnames of its pods. */
export function warnAboutPodNames(draft: Draft, before: ApiObject | undefined): readonly string[] {
  return nameWarning(draft, before, "Pod names and hostnames");
}

export function warnAboutHostname(draft: Draft, before: ApiObject | undefined): readonly string[] {
  return nameWarning(draft, before, "the Pod's hostname");
}

function nameWarning(draft: Draft, before: ApiObject | undefined, use: string): readonly string[] {
  const problems = dnsLabelProblems(text(draft.metadata, "name"));
  if (before !== undefined || problems.length === 0) return [];
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
  ];
}
