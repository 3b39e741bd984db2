import type { Mutant } from "./mutant.ts";

export const refusalsMutants: readonly Mutant[] = [];
