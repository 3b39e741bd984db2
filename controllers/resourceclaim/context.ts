import {
  CLAIM_NAME_ANNOTATION,
  claimNamesOf,
  type ClaimUser,
  groupKeysOf,
  groupNameOf,
  isGroup,
  PODS_OF_GROUPS,
} from "../../pkg/api/device-claims.ts";
import { refKey, type Stored, type StoredObject } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ResourceClaim } from "../../pkg/api/types/resource-v1.gen.ts";
import type { Cache } from "../../pkg/controller/cache.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { RecentUids } from "../../pkg/controller/recent-uids.ts";
import { RecordedWrites } from "../../pkg/controller/recorded-writes.ts";
import type { PodView } from "./claim-use.ts";
import { type CachedPod, GROUP_FIELDS, POD_FIELDS, TEMPLATE_FIELDS } from "./fields.ts";
import { claimMetrics } from "./metrics.ts";

/** Groups of pods share claims only where this is on. */
const GROUPS_GATE = "DRAWorkloadResourceClaims";
/** Of users that have gone before these the server is asked whether they have. */
const MOST_REMEMBERED = 10_000;

const BY_CLAIM = "resourceClaims";
const BY_TEMPLATE = "resourceClaimTemplates";
const BY_OWNER = "resourceClaimOwner";

/** All that a sync works with. */
export type ResourceClaimContext = ReturnType<typeof resourceClaimContext>;
export type GroupContext = NonNullable<ResourceClaimContext["ofGroups"]>;

export function resourceClaimContext(kit: Kit) {
  const { client, events, features, metrics } = kit.env;
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  addClaimIndexes(pods);
  pods.addIndex(PODS_OF_GROUPS, groupKeysOf);
  const claims = kit.reads(resources.resourceClaims);
  claims.addIndex(BY_OWNER, ownersOf);
  const consistency = kit.newConsistency();
  return {
    pods,
    claims,
    templates: kit.reads(resources.resourceClaimTemplates, { fields: TEMPLATE_FIELDS }),
    ofGroups: features.enabled(GROUPS_GATE) ? groupContext(kit) : undefined,
    podClient: client.clientFor(resources.pods),
    claimClient: client.clientFor(resources.resourceClaims),
    podWrites: kit.writes(resources.pods),
    /** Of claims, for pods. */
    claimWrites: kit.writes(resources.resourceClaims),
    /** Of claims, for themselves. */
    ofClaims: {
      consistency,
      writes: new RecordedWrites({ env: kit.env, consistency }, resources.resourceClaims),
    },
    /** Pods and groups that were seen to go. */
    gone: new RecentUids(MOST_REMEMBERED),
    /** Claims that were being deleted and have lost what kept them. */
    letGo: new RecentUids(MOST_REMEMBERED),
    creates: claimMetrics(metrics, claims.lister),
    events,
  };
}

function groupContext(kit: Kit) {
  const groups = kit.reads(resources.podGroups, { fields: GROUP_FIELDS });
  addClaimIndexes(groups);
  const consistency = kit.newConsistency();
  return {
    groups,
    consistency,
    client: kit.env.client.clientFor(resources.podGroups),
    writes: new RecordedWrites({ env: kit.env, consistency }, resources.podGroups),
    claimWrites: new RecordedWrites({ env: kit.env, consistency }, resources.resourceClaims),
  };
}

function addClaimIndexes<T extends ClaimUser>(users: Pick<Cache<T>, "addIndex">): void {
  users.addIndex(BY_CLAIM, claimKeys);
  users.addIndex(BY_TEMPLATE, templateKeys);
}

function claimKeys(user: ClaimUser): readonly string[] {
  return [...new Set(claimNamesOf(user))].map((name) => refKey(user.metadata.namespace, name));
}

function templateKeys({ metadata, spec }: ClaimUser): readonly string[] {
  const names = (spec?.resourceClaims ?? []).flatMap((claim) => claim.resourceClaimTemplateName ?? []);
  return [...new Set(names)].map((name) => refKey(metadata.namespace, name));
}

function ownersOf(claim: ResourceClaim): readonly string[] {
  const controller = controllerOf(claim);
  if (controller === undefined) return [];
  const isPod = controller.apiVersion === "v1" && controller.kind === "Pod";
  return isPod || isGroup(controller) ? [controller.uid] : [];
}

/** Pods and groups that use the claim of the key, as far as they know its name. */
export function usersOfClaim<T extends ClaimUser>({ lister }: Cache<T>, key: string): readonly Stored<T>[] {
  return lister.byIndex(BY_CLAIM, key);
}

export function usersOfTemplate<T extends ClaimUser>(
  { lister }: Cache<T>,
  key: string,
): readonly Stored<T>[] {
  return lister.byIndex(BY_TEMPLATE, key);
}

export function podsOfGroup({ pods }: Pick<ResourceClaimContext, "pods">, key: string) {
  return pods.lister.byIndex(PODS_OF_GROUPS, key);
}

/** All claims that were made for this very pod or group. */
export function claimsOfOwner(
  { claims }: Pick<ResourceClaimContext, "claims">,
  { metadata: { namespace, uid } }: StoredObject,
): readonly Stored<ResourceClaim>[] {
  return claims.lister.byIndex(BY_OWNER, uid).filter(({ metadata }) => metadata.namespace === namespace);
}

/** The claim that was made for this very pod or group, under the name that it has for it; be it that it does not know yet. */
export function claimMadeFor(
  context: Pick<ResourceClaimContext, "claims">,
  owner: StoredObject,
  claimName: string,
): Stored<ResourceClaim> | undefined {
  return claimsOfOwner(context, owner).find((claim) => isCalled(claim, claimName));
}

/** Whether its owner has that name for the claim. */
export function isCalled({ metadata }: ResourceClaim, claimName: string): boolean {
  return metadata.annotations?.[CLAIM_NAME_ANNOTATION] === claimName;
}

/** The group that the pod is in, where groups have claims. */
export function groupOf({ ofGroups }: Pick<ResourceClaimContext, "ofGroups">, pod: CachedPod) {
  const name = groupNameOf(pod);
  if (ofGroups === undefined || name === undefined) return undefined;
  return ofGroups.groups.lister.get(pod.metadata.namespace, name) ?? "missing";
}

export function viewOf(context: Pick<ResourceClaimContext, "claims" | "ofGroups">, pod: CachedPod): PodView {
  return {
    claim: (name) => context.claims.lister.get(pod.metadata.namespace, name),
    group: groupOf(context, pod),
    withGroups: context.ofGroups !== undefined,
  };
}
