import { CLAIM_NAME_ANNOTATION } from "../../pkg/api/device-claims.ts";
import { hashedName } from "../../pkg/api/hash.ts";
import type { StoredObject } from "../../pkg/api/object.ts";
import { apiVersionOf, type Resource } from "../../pkg/api/resource.ts";
import type { ResourceClaim } from "../../pkg/api/types/resource-v1.gen.ts";
import type { CachedTemplate } from "./fields.ts";

/** With a hyphen and five characters behind it, a name has no more than the 63 of a label. */
const LONGEST_BASE = 57;

export interface ClaimToMake {
  readonly owner: StoredObject;
  readonly kind: Pick<Resource, "group" | "version" | "kind">;
  /** How the owner calls the claim. */
  readonly claimName: string;
  readonly template: CachedTemplate;
  /** How many names others have had. */
  readonly taken: number;
}

export type NamedClaim = ResourceClaim & { readonly metadata: { readonly name: string } };

/**
 * The claim that a pod or group brings with it, and takes along when it goes. Its name looks like one that the server has
 * generated, but each try for this owner has the same: where the answer to a create is lost, no second claim is made.
 */
export function claimOfTemplate({ owner, kind, claimName, template, taken }: ClaimToMake): NamedClaim {
  const { namespace, name, uid } = owner.metadata;
  const { metadata = {}, spec } = template.spec;
  const generateName = generatedName(name, claimName);
  return {
    metadata: {
      name: hashedName(generateName, `${uid}/${claimName}/${taken}`),
      generateName,
      ...(namespace !== undefined && { namespace }),
      ...(metadata.labels && { labels: metadata.labels }),
      annotations: { ...metadata.annotations, [CLAIM_NAME_ANNOTATION]: claimName },
      // Who deletes the owner in the foreground need not wait for it.
      ownerReferences: [{ apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid, controller: true }],
    },
    spec,
  };
}

/**
 * What the name of a claim begins with. Of names that are too long both parts are cut, each by its share, so that
 * something is left of the second; and not behind a dot, as nothing can be called "a.-b".
 */
export function generatedName(ownerName: string, claimName: string): string {
  const whole = `${ownerName}-${claimName}-`;
  if (whole.length <= LONGEST_BASE) return whole;
  const cut = (part: string): string =>
    withoutEnd(part.slice(0, Math.floor((part.length * LONGEST_BASE) / whole.length)));
  return `${cut(ownerName)}-${cut(claimName)}`;
}

function withoutEnd(part: string): string {
  let length = part.length;
  while (length > 1 && ".-".includes(part[length - 1] ?? "")) length--;
  return part.slice(0, length);
}
