import type { Mutant } from "./mutant.ts";

export const replicasMutants: readonly Mutant[] = [];
