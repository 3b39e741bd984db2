import { autoscalerMutants } from "./autoscaler-mutants.ts";
import { identityMutants, refusalMutants } from "./family-mutants.ts";
import { deviceMutants } from "./device-mutants.ts";
import { garbageMutants } from "./garbage-mutants.ts";
import { jobMutants } from "./job-mutants.ts";
import { nodeMutants } from "./node-mutants.ts";
import type { FamilyName } from "../scenario.ts";
import type { AreaName } from "../world/operations.ts";
import type { Mutant } from "./mutant.ts";
import { serviceMutants } from "./service-mutants.ts";
import { volumeMutants } from "./volume-mutants.ts";
import { workloadMutants } from "./workload-mutants.ts";

const within = (
  area: AreaName | FamilyName,
  group: readonly Mutant[],
): (Mutant & { readonly area: AreaName | FamilyName })[] => group.map((mutant) => ({ area, ...mutant }));

/** Each must be caught by the simulation, on some seed. */
export const mutants = [
  ...within("workloads", workloadMutants),
  ...within("jobs", jobMutants),
  ...within("ownership", garbageMutants),
  ...within("services", serviceMutants),
  ...within("identity", identityMutants),
  ...within("half-refused", refusalMutants),
  ...within("nodes", nodeMutants),
  ...within("devices", deviceMutants),
  ...within("autoscaling", autoscalerMutants),
  ...within("volumes", volumeMutants),
];
