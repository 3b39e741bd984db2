import type { Scenario } from "../scenario.ts";
import { deployments } from "./deployments.ts";
import { podGarbage } from "./pod-garbage.ts";
import { replicas } from "./replicas.ts";
import { rollouts } from "./rollouts.ts";

export const scenarios: readonly Scenario[] = [...deployments, ...rollouts, ...replicas, ...podGarbage];
