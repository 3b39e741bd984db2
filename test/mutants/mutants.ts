import { autoscalingMutants } from "./autoscaling.ts";
import { batchMutants } from "./batch.ts";
import { chanceSurvivors } from "./chance-survivors.ts";
import { breakingOffMutants } from "./breaking-off.ts";
import { certificateBetasMutants } from "./certificate-betas.ts";
import { certificateSigningMutants } from "./certificate-signing.ts";
import { certificatesMutants } from "./certificates.ts";
import { commandLineMutants } from "./command-line.ts";
import { connectionsMutants } from "./connections.ts";
import { packageMutants } from "./package.ts";
import { policiesMutants } from "./policies.ts";
import { restMutants } from "./rest.ts";
import { plantMutants } from "./development-cluster.ts";
import { deviceMutants } from "./devices.ts";
import { discoveryMutants } from "./discovery.ts";
import { deviceAlphasMutants } from "./device-alphas.ts";
import { deviceGivingMutants } from "./device-giving.ts";
import { embeddedAdmissionMutants } from "./embedded-admission.ts";
import { customResourcesMutants } from "./custom-resources.ts";
import { definitionsMutants } from "./definitions.ts";
import { chanceMutants } from "./embedded-chance.ts";
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
import { storageVersionMutants } from "./storage-versions.ts";
import { taintEvictionMutants } from "./taint-eviction.ts";
import { troublesMutants } from "./troubles.ts";
import { ttlMutants } from "./ttl.ts";
import { volumesAttachMutants } from "./volumes-attach.ts";
import { wiringServingMutants } from "./wiring-serving.ts";
import { nodeLifecycleMutants } from "./node-lifecycle.ts";
import { nodeRangesMutants } from "./node-ranges.ts";
import { numbersMutants } from "./numbers.ts";
import { refusalsMutants } from "./refusals.ts";
import { kitMutants } from "./kit.ts";
import { replicasMutants } from "./replicas.ts";
import { serviceCidrMutants } from "./service-cidr.ts";
import { servicesMutants } from "./services.ts";
import { servingMutants } from "./serving.ts";
import { volumesClaimsMutants } from "./volumes-claims.ts";
import { volumesClassesMutants } from "./volumes-classes.ts";
import { volumesProtectionMutants } from "./volumes-protection.ts";
import { upstreamMistakesMutants } from "./upstream-mistakes.ts";
import { upperFloorMutants } from "./upper-floor.ts";
import { volumesBinderMutants } from "./volumes-binder.ts";
import { webhookMutants } from "./webhooks.ts";
import { wiringMutants } from "./wiring.ts";
import type { Mutant } from "./mutant.ts";

/** Each must be noticed by one of its tests. */
export const mutants: readonly Mutant[] = [
  ...policiesMutants,
  ...troublesMutants,
  ...upstreamMistakesMutants,
  ...restMutants,
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
  ...autoscalingMutants,
  ...batchMutants,
  ...statefulSetsMutants,
  ...daemonSetsMutants,
  ...disruptionMutants,
  ...lifecycleMutants,
  ...ttlMutants,
  ...deviceMutants,
  ...discoveryMutants,
  ...deviceAlphasMutants,
  ...deviceGivingMutants,
  ...certificateSigningMutants,
  ...certificatesMutants,
  ...certificateBetasMutants,
  ...nodeLifecycleMutants,
  ...storageVersionMutants,
  ...taintEvictionMutants,
  ...volumesAttachMutants,
  ...nodeRangesMutants,
  ...volumesProtectionMutants,
  ...volumesClaimsMutants,
  ...volumesClassesMutants,
  ...serviceCidrMutants,
  ...servicesMutants,
  ...volumesBinderMutants,
  ...leadingMutants,
  ...wiringMutants,
  ...wiringServingMutants,
  ...machineryMutants,
  ...embeddedMutants,
  ...embeddedAdmissionMutants,
  ...embeddedDecodingMutants,
  ...chanceMutants,
  ...customResourcesMutants,
  ...definitionsMutants,
  ...webhookMutants,
  ...commandLineMutants,
  ...breakingOffMutants,
  ...chanceSurvivors,
];
