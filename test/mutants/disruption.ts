import type { Mutant } from "./mutant.ts";

/** What is decided. */
const decisions: readonly Mutant[] = [
  {
    name: "never looks again for a kind that the API did not have",
    file: "controllers/disruption/sync.ts",
    find: "if (error instanceof UnknownKindError) return { requeueAfterMs: KIND_RECHECK_MS };",
    replace: "",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "tells each time that a kind is unknown",
    file: "controllers/disruption/sync.ts",
    find: "if (!(error instanceof UnknownKindError && saysFailed(budget, messageOf(error))))",
    replace: "",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "tells nobody that a kind is unknown",
    file: "controllers/disruption/sync.ts",
    find: "if (!(error instanceof UnknownKindError && saysFailed(budget, messageOf(error))))",
    replace: "if (!(error instanceof UnknownKindError))",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "drops what is to be looked at again",
    file: "controllers/disruption/controller.ts",
    find: "if (requeueAfterMs !== undefined) rechecks.addAfter(sync.key, requeueAfterMs);",
    replace: "",
    tests: ["controllers/disruption/sync.test.ts"],
  },
];

/** What is read, woken, written and remembered. */
const wiring: readonly Mutant[] = [
  {
    name: "does not keep status.phase of a budget's pods",
    file: "controllers/disruption/fields.ts",
    find: '  "status.phase",\n',
    replace: "",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "does not keep status.conditions.type of a budget's pods",
    file: "controllers/disruption/fields.ts",
    find: '  "status.conditions.type",\n',
    replace: "",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "does not keep status.conditions.status of a budget's pods",
    file: "controllers/disruption/fields.ts",
    find: '  "status.conditions.status",\n',
    replace: "",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "does not keep status.conditions.reason of a budget's pods",
    file: "controllers/disruption/fields.ts",
    find: '  "status.conditions.reason",\n',
    replace: "",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "does not keep status.conditions.lastTransitionTime of a budget's pods",
    file: "controllers/disruption/fields.ts",
    find: '  "status.conditions.lastTransitionTime",\n',
    replace: "",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "does not keep how many pods owners want",
    file: "controllers/disruption/fields.ts",
    find: 'export const OWNER_FIELDS = ["spec.replicas"] as const;',
    replace: "export const OWNER_FIELDS = [] as const;",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "gives up when a budget's owner cannot be asked",
    file: "controllers/disruption/sync.ts",
    find: "return isOfObjects(error) ? {} : { backOff: true };",
    replace: "return {};",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "allows nothing after a conflict with an eviction",
    file: "controllers/disruption/sync.ts",
    find: "if (isConflict(error)) throw error;",
    replace: "",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "keeps allowing evictions when it cannot count",
    file: "controllers/disruption/sync.ts",
    find: "if (status !== undefined) await writeStatus(sync, context, status);\n    if (error",
    replace: "if (error",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "forgets a budget that a pod does not match any more",
    file: "controllers/disruption/handlers.ts",
    find: "? [object, change.before]",
    replace: "? [object]",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "tells nobody of a pod that two budgets cover",
    file: "controllers/disruption/controller.ts",
    find: "    pods.hears(ambiguityListener(context));\n",
    replace: "",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "takes a kind that could not be discovered for one that does not exist",
    file: "pkg/client/kind-lookup.ts",
    find: "if (parseApiVersion(version).group === group) return { failure };",
    replace: "void [version, failure];",
    tests: ["pkg/client/kind-lookup.test.ts", "controllers/disruption/sync-scale.test.ts"],
  },
  {
    name: "does not take back what was announced",
    file: "controllers/disruption/handlers.ts",
    find: "if (waitMs !== undefined) wake(keyOf(change.object), waitMs);",
    replace: "",
    tests: ["controllers/disruption/sync.test.ts"],
  },
  {
    name: "lets the sum of what owners want grow beyond the status",
    file: "controllers/disruption/sync-owners.ts",
    find: "Math.min(replicas, LARGEST)",
    replace: "replicas",
    tests: ["controllers/disruption/sync-owners.test.ts"],
  },
];

export const disruptionMutants: readonly Mutant[] = [...decisions, ...wiring];
