import type { Mutant } from "./mutant.ts";

export const servicesMutants: readonly Mutant[] = [];
