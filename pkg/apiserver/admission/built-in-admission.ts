import type { ApiObject } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import type { ResourceQuota } from "../../api/types/core-v1.gen.ts";
import type { Clock } from "../../clock/clock.ts";
import type { Random } from "../../clock/random.ts";
import { type Logger, silentLogger } from "../../log/logger.ts";
import type { Admission } from "../server/admission.ts";
import { bucketName } from "../server/served-resource.ts";
import type { RbacAuthorizer } from "../auth/rbac-authorizer.ts";
import type { Store } from "../storage/store.ts";
import { WebhookClient } from "../webhook-client/webhook-client.ts";
import type { WebhookTransport } from "../webhook-client/webhook-transport.ts";
import { certificateSigners, certificateSubjectRestriction } from "./certificate-signers.ts";
import { storeReader } from "./cluster-reader.ts";
import { limitRanger } from "./limit-ranger.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { admissionChain } from "./chain.ts";
import { defaultTolerations, nodeTaint, priorityAdmission } from "./pod-defaults.ts";
import { podGroupProtection, podGroupWorkload } from "./pod-groups.ts";
import { podSecurity, type PodSecurityExemptions } from "./pod-security/pod-security.ts";
import { MutatingPolicyAdmission } from "./policies/mutating-admission.ts";
import { ValidatingPolicyAdmission } from "./policies/validating-admission.ts";
import { podTopology } from "./pod-topology.ts";
import { resourceQuotaAdmission } from "./resource-quota.ts";
import { roleEscalation } from "./role-escalation.ts";
import { runtimeClassAdmission } from "./runtime-class.ts";
import { serviceAccountAdmission } from "./service-account.ts";
import { serviceAllocation } from "./service-allocation.ts";
import { WebhookAdmission } from "./webhooks/webhook-admission.ts";
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
  /** How admission webhooks are reached; none is called when left out. */
  readonly webhooks?: WebhookTransport | undefined;
  readonly log?: Logger | undefined;
}

/** What a cluster admits and adds by default, in the order in which the API server asks. Quota comes last. */
export function builtInAdmission(options: BuiltInAdmissionOptions): Admission {
  const { store, clock, random, serviceCidr, serviceAccounts = true, rbac, podSecurityExemptions } = options;
  const { webhooks: transport, log = silentLogger } = options;
  const reader = storeReader(store);
  const webhooks =
    transport &&
    new WebhookAdmission({
      store,
      reader,
      random,
      log,
      rbac,
      client: new WebhookClient({ reader, clock, random, transport }),
    });
  const lifecycle = namespaceLifecycle(reader);
  const plugins = [
    lifecycle,
    limitRanger(reader),
    ...(serviceAccounts ? [serviceAccountAdmission(reader, random)] : []),
    nodeTaint,
    priorityAdmission(reader),
    defaultTolerations,
    defaultStorageClass(reader),
    storageProtection,
    podGroupProtection,
    claimResize(reader),
    runtimeClassAdmission(reader),
    certificateSubjectRestriction,
    ...(rbac === undefined ? [] : [certificateSigners(rbac)]),
    podSecurity(reader, podSecurityExemptions),
    podTopology(reader),
    podGroupWorkload(reader),
  ];
  const storing = [
    serviceAllocation(reader, random, { cidr: serviceCidr }),
    ...(rbac === undefined ? [] : [roleEscalation(rbac)]),
  ];
  const quota = resourceQuotaAdmission({
    reader,
    clock,
    writeStatus: (stored, used) => writeQuotaUsage(store, stored, used),
  });
  const policies = {
    mutating: new MutatingPolicyAdmission({ store, reader, rbac }),
    validating: new ValidatingPolicyAdmission({ store, reader, rbac }),
  };
  return admissionChain({ plugins, below: [lifecycle], policies, webhooks, storing, last: [quota] });
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
