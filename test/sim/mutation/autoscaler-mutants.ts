import type { Mutant } from "./mutant.ts";

const podautoscaler = "controllers/podautoscaler";

/** What an autoscaler may do to its target that it should not. */
export const autoscalerMutants: readonly Mutant[] = [
  {
    name: "forgets what it has scaled, and how fast",
    file: `${podautoscaler}/apply.ts`,
    find: "past.set(owner, { ...before, [field]: after });",
    replace: "",
  },
  {
    name: "removes pods at once when it has just begun to lead",
    file: `${podautoscaler}/sync.ts`,
    find: "recommendations: [{ replicas, timeMs: clock.monotonicMs() }], up: [], down: []",
    replace: "recommendations: [{ replicas: 0, timeMs: clock.monotonicMs() }], up: [], down: []",
  },
  {
    name: "does not look at what was needed within the window",
    file: `${podautoscaler}/recommendations.ts`,
    find: "if (timeMs > downCutoffMs) down = Math.max(down, replicas);",
    replace: "",
  },
  {
    name: "allows more pods than the most",
    file: `${podautoscaler}/limits.ts`,
    find: "const most = Math.min(maximum, fastest);",
    replace: "const most = fastest;",
  },
  {
    name: "allows fewer pods than the least",
    file: `${podautoscaler}/limits.ts`,
    find: "const least = Math.max(minimum, fastest);",
    replace: "const least = fastest;",
  },
  {
    name: "takes pods that nobody measures for idle ones",
    file: `${podautoscaler}/sync-decide.ts`,
    find: 'return { wanted: undefined, reason: look.failure?.message ?? "", look };',
    replace: "return byMetrics(sync, context, round, { ...look, replicas: minimumOf(round) });",
    also: {
      file: `${podautoscaler}/sync-decide.ts`,
      find: "/** As events have it; nothing where",
      replace:
        "const minimumOf = (round: Round): number => round.minimum;\n/** As events have it; nothing where",
    },
  },
  {
    name: "writes the status in every turn",
    file: `${podautoscaler}/apply.ts`,
    find: "if (semanticEqual(owner.status ?? { desiredReplicas: 0 }, status, STATUS_TYPE)) return;",
    replace: "",
  },
];
