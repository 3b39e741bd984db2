import type { Mutant } from "./mutant.ts";

export const servingMutants: readonly Mutant[] = [];
