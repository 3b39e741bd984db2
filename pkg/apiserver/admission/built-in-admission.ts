import type { ApiObject } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import type { ResourceQuota } from "../../api/types/core-v1.gen.ts";
import type { Clock } from "../../clock/clock.ts";
import type { Random } from "../../clock/random.ts";
import type { Admission } from "../server/admission.ts";
import { bucketName } from "../server/served-resource.ts";
import type { RbacAuthorizer } from "../auth/rbac-authorizer.ts";
import type { Store } from "../storage/store.ts";
import { storeReader } from "./cluster-reader.ts";
import { limitRanger } from "./limit-ranger.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { admissionChain } from "./plugin.ts";
import { defaultTolerations, nodeTaint, priorityAdmission } from "./pod-defaults.ts";
import { podSecurity, type PodSecurityExemptions } from "./pod-security/pod-security.ts";
import { podTopology } from "./pod-topology.ts";
import { resourceQuotaAdmission } from "./resource-quota.ts";
import { roleEscalation } from "./role-escalation.ts";
import { serviceAccountAdmission } from "./service-account.ts";
import { serviceAllocation } from "./service-allocation.ts";
import { claimResize, defaultStorageClass, storageProtection } from "./storage-defaults.ts";

export interface BuiltInAdmissionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** Addresses of services. */
  readonly serviceCidr: string;
  /** Whether every pod runs as a service account; on when left out. Somebody must then create the "default" ones. */
  readonly serviceAccounts?: boolean;
  /** Whom PodSecurity does not look at; nobody when left out. */
  readonly podSecurityExemptions?: PodSecurityExemptions;
  /** Who may give away which permissions; undefined: everybody all of them. */
  readonly rbac?: RbacAuthorizer | undefined;
}

/** What a cluster admits and adds by default, in the order in which the API server asks. Quota comes last. */
export function builtInAdmission(options: BuiltInAdmissionOptions): Admission {
  const { store, clock, random, serviceCidr, serviceAccounts = true, rbac, podSecurityExemptions } = options;
  const reader = storeReader(store);
  return admissionChain([
    namespaceLifecycle(reader),
    limitRanger(reader),
    ...(serviceAccounts ? [serviceAccountAdmission(reader, random)] : []),
    nodeTaint,
    priorityAdmission(reader),
    defaultTolerations,
    defaultStorageClass(reader),
    storageProtection,
    claimResize(reader),
    podSecurity(reader, podSecurityExemptions),
    serviceAllocation(reader, random, { cidr: serviceCidr }),
    podTopology(reader),
    ...(rbac === undefined ? [] : [roleEscalation(rbac)]),
    resourceQuotaAdmission({
      reader,
      clock,
      writeStatus: (quota, used) => writeQuotaUsage(store, quota, used),
    }),
  ]);
}

function writeQuotaUsage(
  store: Store,
  quota: ResourceQuota & ApiObject,
  used: Readonly<Record<string, string>>,
): void {
  const { namespace = "", name = "" } = quota.metadata;
  const { group, plural } = resources.resourceQuotas;
  const next = { ...quota, metadata: { ...quota.metadata }, status: { ...quota.status, used } };
  store.put(bucketName(group, plural), `${namespace}/${name}`, quota, next);
}
