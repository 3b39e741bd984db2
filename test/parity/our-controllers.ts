import { generateKeyPairSync } from "node:crypto";
import { csrApprovingController } from "../../controllers/certificates/approving/controller.ts";
import { csrCleanerController } from "../../controllers/certificates/cleaner/controller.ts";
import { csrSigningController } from "../../controllers/certificates/signing/controller.ts";
import { resolveOptions } from "../../cmd/kube-controller-manager/options/resolve.ts";
import { registry } from "../../cmd/kube-controller-manager/registry.ts";
import { clusterRoleAggregationController } from "../../controllers/clusterrole-aggregation/controller.ts";
import { cronJobController } from "../../controllers/cronjob/controller.ts";
import { daemonSetController } from "../../controllers/daemonset/controller.ts";
import { deploymentController } from "../../controllers/deployment/controller.ts";
import { deviceTaintEvictionController } from "../../controllers/devicetainteviction/controller.ts";
import { disruptionController } from "../../controllers/disruption/controller.ts";
import { endpointsController } from "../../controllers/endpoints/controller.ts";
import { endpointSliceController } from "../../controllers/endpointslice/controller.ts";
import { endpointSliceMirroringController } from "../../controllers/endpointslicemirroring/controller.ts";
import { ephemeralVolumeController } from "../../controllers/ephemeralvolume/controller.ts";
import { volumeExpanderController } from "../../controllers/expand/controller.ts";
import { garbageCollectorController } from "../../controllers/garbagecollector/controller.ts";
import { jobController } from "../../controllers/job/controller.ts";
import { namespaceController } from "../../controllers/namespace/controller.ts";
import { podGarbageCollectorController } from "../../controllers/podgc/controller.ts";
import { podGroupProtectionController } from "../../controllers/podgroupprotection/controller.ts";
import { claimProtectionController } from "../../controllers/pvcprotection/controller.ts";
import { volumeProtectionController } from "../../controllers/pvprotection/controller.ts";
import { replicaSetController, replicationController } from "../../controllers/replicaset/controller.ts";
import { resourceClaimController } from "../../controllers/resourceclaim/controller.ts";
import { poolStatusController } from "../../controllers/resourcepoolstatus/controller.ts";
import { resourceQuotaController } from "../../controllers/resourcequota/controller.ts";
import { rootCaPublisherController } from "../../controllers/root-ca/controller.ts";
import { selinuxWarningController } from "../../controllers/selinuxwarning/controller.ts";
import { serviceAccountController } from "../../controllers/serviceaccount/default-account/controller.ts";
import { serviceAccountTokenController } from "../../controllers/serviceaccount/token/controller.ts";
import { taintEvictionController } from "../../controllers/tainteviction/controller.ts";
import { ttlController } from "../../controllers/ttl/controller.ts";
import { ttlAfterFinishedController } from "../../controllers/ttlafterfinished/controller.ts";
import { statefulSetController } from "../../controllers/statefulset/controller.ts";
import { attributesClassProtectionController } from "../../controllers/vacprotection/controller.ts";
import { policyStatusController } from "../../controllers/validatingadmissionpolicystatus/controller.ts";
import { signerNames } from "../../pkg/api/certificate-requests.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { inThisThread } from "../../pkg/pki/signatures.ts";
import { SigningAuthority } from "../../pkg/pki/signing-authority.ts";
import { tokenSigner } from "../../pkg/tokens/token-signer.ts";
import { authorityPair } from "../harness/signing-files.ts";
import { volumeBinder } from "../harness/volume-binder.ts";
import { type Area, areas, SIGNING_MINUTES } from "./area.ts";
import { areaOf, type Scenario, terminatedPodsKept } from "./scenario.ts";

const workers = 5;
const syncPeriodMs = 300_000;
const rootCa = (): string => "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

/** Those of the scenario's area, as the program runs them. */
export function ourControllers(scenario: Scenario): readonly ControllerDescriptor[] {
  return controllersOf[areaOf(scenario)](scenario);
}

const controllersOf: Readonly<Record<Area, (scenario: Scenario) => readonly ControllerDescriptor[]>> = {
  attachments: (scenario) => withFlags("persistentvolume-attach-detach-controller", scenario),
  workloads: (scenario) => [
    deploymentController({ workers }),
    replicaSetController({ workers }),
    replicationController({ workers }),
    podGarbageCollectorController({ threshold: terminatedPodsKept(scenario) }),
  ],
  daemons: () => [daemonSetController({ workers: 2 })],
  stateful: () => [statefulSetController({ workers })],
  budgets: () => [
    deploymentController({ workers }),
    replicaSetController({ workers }),
    disruptionController(),
  ],
  services: () => [
    endpointsController({ workers, updatesBatchPeriodMs: 0 }),
    endpointSliceController({ workers, maxEndpointsPerSlice: 100, updatesBatchPeriodMs: 0 }),
    endpointSliceMirroringController({ workers, maxEndpointsPerSubset: 1_000, updatesBatchPeriodMs: 0 }),
  ],
  garbage: () => [
    deploymentController({ workers }),
    replicaSetController({ workers }),
    garbageCollectorController({ workers: 20 }),
    namespaceController({ workers: 10, syncPeriodMs }),
  ],
  ranges: (scenario) => withFlags("node-ipam-controller", scenario),
  nodes: (scenario) => withFlags("node-lifecycle-controller", scenario),
  evictions: () => [taintEvictionController()],
  ttls: () => [ttlController()],
  claims: () => [
    claimProtectionController(),
    volumeProtectionController(),
    attributesClassProtectionController(),
    ephemeralVolumeController({ workers }),
    volumeExpanderController(),
    selinuxWarningController(),
  ],
  volumes: () => [volumeBinder(), claimProtectionController(), volumeProtectionController()],
  devices: () => [resourceClaimController({ workers }), deviceTaintEvictionController({ workers })],
  taintRules: () => [resourceClaimController({ workers }), deviceTaintEvictionController({ workers })],
  pools: () => [poolStatusController()],
  groups: () => [podGroupProtectionController()],
  autoscaling: (scenario) => [
    ...withFlags("horizontal-pod-autoscaler-controller", scenario),
    deploymentController({ workers }),
    replicaSetController({ workers }),
    replicationController({ workers }),
  ],
  batch: () => [
    jobController({ workers }),
    cronJobController({ workers, localTimeZone: () => "UTC" }),
    ttlAfterFinishedController({ workers }),
    garbageCollectorController({ workers: 20 }),
  ],
  certificates: () => [signers(), csrApprovingController(), csrCleanerController()],
  accounts: () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    return [
      serviceAccountController(),
      serviceAccountTokenController({ workers, signer: () => tokenSigner(privateKey), rootCa }),
      rootCaPublisherController({ rootCa }),
      resourceQuotaController({ workers, syncPeriodMs }),
      clusterRoleAggregationController(),
      policyStatusController({ workers }),
    ];
  },
};

function signers(): ControllerDescriptor {
  const { cert, key } = authorityPair({ nowMs: Date.UTC(2026, 0, 1) });
  const files = { load: () => SigningAuthority.fromPem(cert, key), follow: async () => undefined };
  return csrSigningController({
    signers: Object.values(signerNames).map((signerName) => ({ signerName, files })),
    durationMs: SIGNING_MINUTES * 60_000,
    signatures: inThisThread,
  });
}

function withFlags(controller: string, scenario: Scenario): readonly ControllerDescriptor[] {
  const { flags = [] } = areas[areaOf(scenario)];
  const { options } = resolveOptions([...flags, ...(scenario.flags ?? [])], () => "");
  return registry(options, { rootCa }).filter(({ name }) => name === controller);
}
