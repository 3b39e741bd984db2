import type { KindRules } from "./kind.ts";
import { certificateRequestKinds } from "./access/certificate-request.ts";
import { clusterTrustBundleKinds } from "./access/cluster-trust-bundle.ts";
import { podCertificateRequestKinds } from "./access/pod-certificate-request.ts";
import { rbacKinds } from "./access/rbac.ts";
import { cronJobKinds } from "./batch/cron-job.ts";
import { jobKinds } from "./batch/job.ts";
import { configDataKinds } from "./core/config-data.ts";
import { componentStatusKind } from "./core/component-status.ts";
import { eventKinds } from "./core/event.ts";
import { limitRangeKinds } from "./core/limit-range.ts";
import { namespaceKinds } from "./core/namespace.ts";
import { nodeKinds } from "./core/node.ts";
import { resourceQuotaKinds } from "./core/quota.ts";
import { deviceKinds } from "./devices/device-kinds.ts";
import { endpointsKinds } from "./network/endpoints.ts";
import { ingressKinds } from "./network/ingress.ts";
import { ingressClassKinds } from "./network/ingress-class.ts";
import { networkPolicyKinds } from "./network/network-policy.ts";
import { serviceKinds } from "./network/service.ts";
import { podKinds } from "./pod/pod.ts";
import { admissionPolicyKinds } from "./policy/admission-policy.ts";
import { autoscalerKinds } from "./policy/autoscaler.ts";
import { disruptionBudgetKinds } from "./policy/disruption-budget.ts";
import { apiServiceKinds } from "./policy/api-service.ts";
import { flowControlKinds } from "./policy/flow-control.ts";
import { leaseKinds } from "./policy/lease.ts";
import { priorityClassKinds } from "./policy/priority-class.ts";
import { claimKinds } from "./storage/claim.ts";
import { csiKinds } from "./storage/csi.ts";
import { storageClassKinds } from "./storage/storage-class.ts";
import { runtimeClassKinds } from "./policy/runtime-class.ts";
import { webhookKinds } from "./policy/webhook.ts";
import { volumeKinds } from "./storage/volume.ts";
import { storageVersionKinds } from "./versions/storage-version.ts";
import { storageVersionMigrationKinds } from "./versions/storage-version-migration.ts";
import { controllerRevisionKinds } from "./workloads/controller-revision.ts";
import { daemonSetKinds } from "./workloads/daemon-set.ts";
import { deploymentKinds } from "./workloads/deployment.ts";
import { podGroupKinds } from "./workloads/pod-group.ts";
import { podTemplateKinds } from "./workloads/pod-template.ts";
import { replicaSetKinds } from "./workloads/replica-set.ts";
import { replicationControllerKinds } from "./workloads/replication-controller.ts";
import { statefulSetKinds } from "./workloads/stateful-set.ts";

/** Every kind that has rules of its own. The server serves the others with the rules that all kinds share. */
export const allKinds: readonly KindRules[] = [
  ...certificateRequestKinds,
  ...clusterTrustBundleKinds,
  ...podCertificateRequestKinds,
  ...rbacKinds,
  ...cronJobKinds,
  ...jobKinds,
  ...configDataKinds,
  componentStatusKind,
  ...eventKinds,
  ...limitRangeKinds,
  ...namespaceKinds,
  ...nodeKinds,
  ...resourceQuotaKinds,
  ...endpointsKinds,
  ...ingressKinds,
  ...ingressClassKinds,
  ...flowControlKinds,
  ...apiServiceKinds,
  ...networkPolicyKinds,
  ...serviceKinds,
  ...podKinds,
  ...admissionPolicyKinds,
  ...runtimeClassKinds,
  ...webhookKinds,
  ...autoscalerKinds,
  ...disruptionBudgetKinds,
  ...leaseKinds,
  ...priorityClassKinds,
  ...deviceKinds,
  ...claimKinds,
  ...csiKinds,
  ...storageClassKinds,
  ...volumeKinds,
  ...storageVersionKinds,
  ...storageVersionMigrationKinds,
  ...controllerRevisionKinds,
  ...daemonSetKinds,
  ...deploymentKinds,
  ...podGroupKinds,
  ...podTemplateKinds,
  ...replicaSetKinds,
  ...replicationControllerKinds,
  ...statefulSetKinds,
];
