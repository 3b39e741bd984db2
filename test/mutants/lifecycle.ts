import type { Mutant } from "./mutant.ts";

export const lifecycleMutants: readonly Mutant[] = [];
