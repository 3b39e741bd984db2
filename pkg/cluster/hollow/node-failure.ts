import type { ApiObject } from "../../api/object.ts";
import type { PartOf } from "../../api/projected.ts";

/** What a node has, or what it does not do any more, as long as the annotation stands there; several with commas. */
export const NODE_FAILURE_ANNOTATION = "kcm.dev/fails";

/** A node of which the annotation is known. */
export type FailingNode = PartOf<ApiObject, `metadata.annotations[${typeof NODE_FAILURE_ANNOTATION}]`>;

const FAILURES = ["silent", "not-ready", "memory-pressure", "disk-pressure", "pid-pressure"] as const;

/** "silent": its kubelet neither tells nor hears anything. The others are told. */
export type NodeFailure = (typeof FAILURES)[number];

export interface NodeFailures {
  readonly has: (failure: NodeFailure) => boolean;
  /** Words that mean nothing. */
  readonly unknown: readonly string[];
}

const NONE: NodeFailures = { has: () => false, unknown: [] };

export function nodeFailures({ metadata }: FailingNode): NodeFailures {
  const text = metadata.annotations?.[NODE_FAILURE_ANNOTATION];
  if (text === undefined) return NONE;
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  const known: readonly string[] = FAILURES;
  return {
    has: (failure) => words.includes(failure),
    unknown: words.filter((word) => !known.includes(word)),
  };
}

/** For whoever is told that a word means nothing. */
export function knownFailures(): string {
  return FAILURES.join(", ");
}
