import { asJson, child, count64, type Json, text } from "../../../api/json.ts";
import type { ApiObject } from "../../../api/object.ts";
import { dnsLabelProblems } from "../../../api/names.ts";
import type { Draft } from "../kind.ts";
import { podWarnings } from "./pod.ts";

type Warnings = (draft: Draft, before: ApiObject | undefined) => readonly string[];

/** Of what makes pods: warnings of its template, when it is new or its generation is. */
export function templateWarnings(path: string, templateOf: (object: Json) => Json | undefined): Warnings {
  return (draft, before) => {
    const template = isNew(draft, before) ? templateOf(draft) : undefined;
    return template === undefined ? [] : podWarnings(template, path);
  };
}

function isNew(draft: Draft, before: ApiObject | undefined): boolean {
  if (before === undefined) return true;
  const old = child(asJson(before), "metadata");
  return count64(draft.metadata, "generation") !== count64(old, "generation");
}

/** A name that is fine for the object but not for the hostnames of its pods. */
export function hostnameWarnings(
  draft: Draft,
  before: ApiObject | undefined,
  use = "Pod names and hostnames",
): readonly string[] {
  const problems = before === undefined ? dnsLabelProblems(text(draft.metadata, "name")) : [];
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
  ];
}
