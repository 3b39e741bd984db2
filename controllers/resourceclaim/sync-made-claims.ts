import { claimNameOf, type ClaimUser } from "../../pkg/api/device-claims.ts";
import { messageOf } from "../../pkg/api/errors.ts";
import { keyOf, type Stored } from "../../pkg/api/object.ts";
import { isControlledBy } from "../../pkg/api/owner-references.ts";
import type { Resource } from "../../pkg/api/resource.ts";
import type { PodResourceClaim, PodResourceClaimStatus } from "../../pkg/api/types/core-v1.gen.ts";
import type { ResourceClaim } from "../../pkg/api/types/resource-v1.gen.ts";
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from "../../pkg/client/errors.ts";
import type { RecordedWrites } from "../../pkg/controller/recorded-writes.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import { claimOfTemplate, type NamedClaim } from "./claim-of-template.ts";
import { claimMadeFor, isCalled, type ResourceClaimContext } from "./context.ts";
import type { CachedGroup } from "./fields.ts";
import { adminLabel } from "./metrics.ts";

/** Names are hashes: that even two of them are another's happens to nobody by chance. */
const MOST_TAKEN = 5;

/** In what pods and groups are different when claims are made for them. */
export interface User {
  readonly resource: Resource;
  /** What its claims are called in its spec. */
  readonly claimKind: "PodResourceClaim" | "PodGroupResourceClaim";
  readonly writes: Pick<RecordedWrites<ResourceClaim>, "create">;
  readonly owns: (claim: Stored<ResourceClaim>) => boolean;
  /** The group that makes the claim in place of the pod. */
  readonly groupOf: (wanted: PodResourceClaim) => Stored<CachedGroup> | undefined;
}

type UserSync = OwnerSync<ClaimUser>;

/**
 * Makes the claims that are missing. Gives what the owner is to be told of all of them, as far as they are there, when it
 * does not know one yet: what is not said again of the others would be taken from its status.
 */
export async function makeClaims(
  sync: UserSync,
  context: ResourceClaimContext,
  user: User,
): Promise<readonly PodResourceClaimStatus[] | undefined> {
  const { owner, signal } = sync;
  const found = new Map<string, string>();
  for (const wanted of owner.spec?.resourceClaims ?? []) {
    try {
      const name = await unknownClaim(sync, context, { user, wanted });
      if (name !== undefined) found.set(wanted.name, name);
    } catch (error) {
      // In a namespace that is going away every create fails, and so would the event.
      if (signal.aborted || isNamespaceTerminating(error)) throw error;
      const what = `${user.claimKind} ${wanted.name}: ${messageOf(error)}`;
      context.events.event(owner, "Warning", "FailedResourceClaimCreation", what);
      throw new Error(`${user.resource.kind} ${keyOf(owner)}, ${what}`, { cause: error });
    }
  }
  return found.size === 0 ? undefined : statusesOf(owner, found);
}

function statusesOf(owner: ClaimUser, found: ReadonlyMap<string, string>): readonly PodResourceClaimStatus[] {
  const known = owner.status?.resourceClaimStatuses ?? [];
  return (owner.spec?.resourceClaims ?? []).flatMap(({ name }) => {
    const resourceClaimName = found.get(name);
    if (resourceClaimName !== undefined) return [{ name, resourceClaimName }];
    return known.filter((each) => each.name === name);
  });
}

interface Wanted {
  readonly user: User;
  readonly wanted: PodResourceClaim;
}

/** The name of a claim that the owner does not know yet, be it that it is made now. */
async function unknownClaim(
  sync: UserSync,
  context: ResourceClaimContext,
  { user, wanted }: Wanted,
): Promise<string | undefined> {
  const { owner } = sync;
  const named = claimNameOf(owner, wanted);
  if (named.kind === "unsupported")
    throw new Error(
      `checking for claim before creating it: ${keyOf(owner)}: none of the supported fields are set`,
    );
  if (named.kind === "not-needed") return undefined;
  if (named.kind === "named") {
    const claim = context.claims.lister.get(owner.metadata.namespace, named.name);
    if (claim !== undefined && (!named.isMade || user.owns(claim))) return undefined;
  }
  if (wanted.resourceClaimTemplateName === undefined) return undefined;
  const group = user.groupOf(wanted);
  const known = claimMadeFor(context, group ?? owner, wanted.name);
  // A claim of the group is made by the group's sync.
  if (known !== undefined || group !== undefined) return known?.metadata.name;
  const told = named.kind === "named" ? named.name : undefined;
  // The cache may have yet to show it.
  if (told !== undefined && (await isOwnClaim(sync, context, { name: told, claimName: wanted.name })))
    return undefined;
  return create(sync, context, { user, wanted, gone: told });
}

async function create(
  sync: UserSync,
  context: ResourceClaimContext,
  { user, wanted, gone }: Wanted & { readonly gone: string | undefined },
): Promise<string> {
  const { owner } = sync;
  const { resourceClaimTemplateName: templateName = "", name: claimName } = wanted;
  const template = context.templates.lister.get(owner.metadata.namespace, templateName);
  if (template === undefined)
    throw new Error(
      `resource claim template "${templateName}": resourceclaimtemplate.resource.k8s.io "${templateName}" not found`,
    );
  sync.decided("A claim is made of a template", { claim: claimName, template: templateName });
  for (let taken = 0; taken < MOST_TAKEN; taken++) {
    const claim = claimOfTemplate({ owner, kind: user.resource, claimName, template, taken });
    const { name } = claim.metadata;
    // Whoever knows of the one that is gone would take another of its name for it.
    if (name !== gone && (await createOrFind(sync, context, { user, claim, claimName }))) return name;
  }
  throw new Error(`create ResourceClaim : ${MOST_TAKEN} names are taken`);
}

interface Draft {
  readonly user: User;
  readonly claim: NamedClaim;
  readonly claimName: string;
}

/** Whether the claim is there, be it that an earlier try has made it and nobody was told; its name may be another's. */
async function createOrFind(
  sync: UserSync,
  context: ResourceClaimContext,
  { user, claim, claimName }: Draft,
): Promise<boolean> {
  const labels = { admin_access: adminLabel(claim) };
  try {
    await user.writes.create(sync, claim);
    context.creates.inc({ ...labels, status: "success" });
    return true;
  } catch (error) {
    sync.signal.throwIfAborted();
    if (isAlreadyExists(error)) return isOwnClaim(sync, context, { name: claim.metadata.name, claimName });
    context.creates.inc({ ...labels, status: "failure" });
    // upstream: the name in the message is that of the claim, which has none yet.
    if (isNamespaceTerminating(error)) throw error;
    throw new Error(`create ResourceClaim : ${messageOf(error)}`, { cause: error });
  }
}

interface OwnName {
  readonly name: string;
  /** How the owner calls the claim. */
  readonly claimName: string;
}

/** Whether the claim of the name was made for this very owner, as the server has it now. */
async function isOwnClaim(
  { owner, signal }: UserSync,
  { claimClient }: ResourceClaimContext,
  { name, claimName }: OwnName,
): Promise<boolean> {
  try {
    const { namespace = "" } = owner.metadata;
    const live = await claimClient.get({ namespace, name }, {}, signal);
    return isControlledBy(live, owner) && isCalled(live, claimName);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
