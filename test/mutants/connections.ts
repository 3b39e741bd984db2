import type { Mutant } from "./mutant.ts";

export const connectionsMutants: readonly Mutant[] = [];
