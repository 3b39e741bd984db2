import { formatTime } from "../../pkg/api/time.ts";
import type { Normalized } from "./normalize.ts";
import type { Proposal } from "./replicas.ts";

/** What one metric said when it was last asked. */
export interface MetricFacts {
  readonly type: string;
  readonly name: string;
  readonly proposal?: Proposal;
  readonly error?: string;
}

/** Why an autoscaler wants the number of replicas that it wants: what its last sync saw and made of it. */
export interface Explanation {
  readonly atMs: number;
  readonly target: string;
  readonly current: number;
  readonly range: { readonly minimum: number; readonly maximum: number };
  readonly foreignPods: readonly string[];
  readonly metrics: readonly MetricFacts[];
  readonly normalized?: Omit<Normalized, "conditions">;
  readonly wanted: number | undefined;
  readonly why: string;
}

/** As many names are shown of each sort of pods. */
const MOST_NAMES = 20;

/** For people, and for programs that show it to people. */
export function describeExplanation(key: string, explanation: Explanation): object {
  const { atMs, metrics, normalized, foreignPods, ...rest } = explanation;
  return {
    autoscaler: key,
    at: formatTime(atMs),
    ...rest,
    foreignPods: shortened(foreignPods),
    metrics: metrics.map(({ proposal, ...metric }) => ({
      ...metric,
      ...(proposal && describeProposal(proposal)),
    })),
    ...(normalized && describeNormalized(normalized, atMs)),
  };
}

function describeProposal({ usage, groups, ...proposal }: Proposal): object {
  return {
    ...proposal,
    usage: `${usage}m`,
    ...(groups && {
      pods: {
        ready: groups.ready,
        unready: shortened(groups.unready),
        missing: shortened(groups.missing),
        ignored: shortened(groups.ignored),
      },
    }),
  };
}

function describeNormalized(
  { stabilized, limit, recommendations }: Omit<Normalized, "conditions">,
  atMs: number,
) {
  const newestMs = recommendations.reduce((newest, { timeMs }) => Math.max(newest, timeMs), -Infinity);
  const recent = recommendations.toSorted((a, b) => b.timeMs - a.timeMs).slice(0, MOST_NAMES);
  return {
    stabilized,
    limit,
    // Of a clock that nobody reads: shown by that of the explanation.
    recommendations: recent.map(({ replicas, timeMs }) => ({
      replicas,
      at: formatTime(atMs - (newestMs - timeMs)),
    })),
  };
}

/** The first of them, and how many more there are. */
export function shortened(names: readonly string[]): readonly string[] {
  if (names.length <= MOST_NAMES) return names;
  return [...names.slice(0, MOST_NAMES), `and ${names.length - MOST_NAMES} more`];
}
