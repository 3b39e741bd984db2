import type { Mutant } from "./mutant.ts";

export const machineryMutants: readonly Mutant[] = [];
