import { strings } from "../../api/json.ts";
import { labelKeyProblems } from "../../api/labels-validate.ts";
import type { ApiObject } from "../../api/object.ts";
import type { Draft } from "../kinds/kind.ts";

const standard = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

/** What may be wrong with the finalizers that a write adds to a custom resource. */
export function finalizerWarnings(draft: Draft, before: ApiObject | undefined): readonly string[] {
  const old = new Set(before?.metadata.finalizers);
  const added = [...new Set(strings(draft.metadata, "finalizers"))].filter((one) => !old.has(one)).toSorted();
  return added.flatMap((finalizer) => {
    const say = (problem: string): string => `metadata.finalizers: ${JSON.stringify(finalizer)}: ${problem}`;
    const problems = labelKeyProblems(finalizer).map(say);
    if (finalizer.includes("/") || standard.has(finalizer)) return problems;
    const path = finalizer.includes(".") ? " including a path (/)" : "";
    return [
      ...problems,
      say(
        `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
      ),
    ];
  });
}
