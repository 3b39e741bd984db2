import type { Mutant } from "./mutant.ts";

export const healthMutants: readonly Mutant[] = [];
