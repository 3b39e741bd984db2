import type { Mutant } from "./mutant.ts";

export const numbersMutants: readonly Mutant[] = [];
