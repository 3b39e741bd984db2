import type { Mutant } from "./mutant.ts";

export const embeddedMutants: readonly Mutant[] = [];
