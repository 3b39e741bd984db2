import { chanceCases, chanceUpdates } from "./chance-cases.ts";
import { clusterCases } from "./cluster-kinds.ts";
import { deviceCases } from "./device-kinds.ts";
import { moreCases } from "./more-kinds.ts";
import { otherDetails } from "./other-details.ts";
import { otherCases } from "./other-kinds.ts";
import { podDetails } from "./pod-details.ts";
import { podCases } from "./pods.ts";
import { storageCases } from "./storage-kinds.ts";
import type { CorpusCase, UpdateCase } from "./corpus-case.ts";
import { updateCases } from "./updates.ts";
import { workloadCases } from "./workloads.ts";

export const corpus: readonly CorpusCase[] = [
  ...podCases,
  ...workloadCases,
  ...otherCases,
  ...clusterCases,
  ...deviceCases,
  ...storageCases,
  ...moreCases,
  ...chanceCases,
  ...podDetails,
  ...otherDetails,
];

export const changes: readonly UpdateCase[] = [...updateCases, ...chanceUpdates];
