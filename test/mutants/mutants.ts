import { batchMutants } from "./batch.ts";
import { commandLineMutants } from "./command-line.ts";
import { connectionsMutants } from "./connections.ts";
import { packageMutants } from "./package.ts";
import { plantMutants } from "./development-cluster.ts";
import { embeddedAdmissionMutants } from "./embedded-admission.ts";
import { customResourcesMutants } from "./custom-resources.ts";
import { definitionsMutants } from "./definitions.ts";
import { embeddedDecodingMutants } from "./embedded-decoding.ts";
import { embeddedMutants } from "./embedded.ts";
import { expressionMutants } from "./expressions.ts";
import { healthMutants } from "./health.ts";
import { lifecycleMutants } from "./lifecycle.ts";
import { machineryMutants } from "./machinery.ts";
import { daemonSetsMutants } from "./daemon-sets.ts";
import { disruptionMutants } from "./disruption.ts";
import { informersMutants } from "./informers.ts";
import { leadingMutants } from "./leading.ts";
import { statefulSetsMutants } from "./stateful-sets.ts";
import { taintEvictionMutants } from "./taint-eviction.ts";
import { ttlMutants } from "./ttl.ts";
import { wiringServingMutants } from "./wiring-serving.ts";
import { nodeLifecycleMutants } from "./node-lifecycle.ts";
import { nodeRangesMutants } from "./node-ranges.ts";
import { numbersMutants } from "./numbers.ts";
import { refusalsMutants } from "./refusals.ts";
import { kitMutants } from "./kit.ts";
import { replicasMutants } from "./replicas.ts";
import { servicesMutants } from "./services.ts";
import { servingMutants } from "./serving.ts";
import { upperFloorMutants } from "./upper-floor.ts";
import { webhookMutants } from "./webhooks.ts";
import { wiringMutants } from "./wiring.ts";
import type { Mutant } from "./mutant.ts";

/** Each must be noticed by one of its tests. */
export const mutants: readonly Mutant[] = [
  ...packageMutants,
  ...plantMutants,
  ...numbersMutants,
  ...refusalsMutants,
  ...informersMutants,
  ...expressionMutants,
  ...healthMutants,
  ...connectionsMutants,
  ...servingMutants,
  ...kitMutants,
  ...upperFloorMutants,
  ...replicasMutants,
  ...batchMutants,
  ...statefulSetsMutants,
  ...daemonSetsMutants,
  ...disruptionMutants,
  ...lifecycleMutants,
  ...ttlMutants,
  ...nodeLifecycleMutants,
  ...taintEvictionMutants,
  ...nodeRangesMutants,
  ...servicesMutants,
  ...leadingMutants,
  ...wiringMutants,
  ...wiringServingMutants,
  ...machineryMutants,
  ...embeddedMutants,
  ...embeddedAdmissionMutants,
  ...embeddedDecodingMutants,
  ...customResourcesMutants,
  ...definitionsMutants,
  ...webhookMutants,
  ...commandLineMutants,
];
