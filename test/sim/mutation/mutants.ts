import { garbageMutants } from "./garbage-mutants.ts";
import { jobMutants } from "./job-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { serviceMutants } from "./service-mutants.ts";
import { workloadMutants } from "./workload-mutants.ts";

/** Each must be caught by the simulation, on some seed. */
export const mutants: readonly Mutant[] = [
  ...workloadMutants,
  ...jobMutants,
  ...garbageMutants,
  ...serviceMutants,
];
