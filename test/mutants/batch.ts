import type { Mutant } from "./mutant.ts";

export const batchMutants: readonly Mutant[] = [];
