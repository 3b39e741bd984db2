import type { Mutant } from "./mutant.ts";

export const nodesMutants: readonly Mutant[] = [];
