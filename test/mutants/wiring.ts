import type { Mutant } from "./mutant.ts";

export const wiringMutants: readonly Mutant[] = [
  {
    name: "keeps the oldest ReplicaSets instead of the newest",
    file: "controllers/deployment/cleanup.ts",
    find: "byAge(one, other) : compareInt64(a, b)",
    replace: "byAge(one, other) : compareInt64(b, a)",
    tests: ["controllers/deployment/cleanup.test.ts"],
  },
];
