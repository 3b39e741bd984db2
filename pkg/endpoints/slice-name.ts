import type { ApiObject, ObjectMeta } from "../api/object.ts";
import { dnsSubdomainProblems } from "../api/names.ts";

export const MANAGED_BY_LABEL = "endpointslice.kubernetes.io/managed-by";

/** What the generated names of slices begin with: with a dash, unless the name leaves no place for one. */
export function slicePrefix(name: string): string {
  // What will follow the dash is not known yet: some letter or digit.
  const isValid = dnsSubdomainProblems(`${name.slice(0, -1)}a`).length === 0;
  return isValid ? `${name}-` : name;
}

/** What a slice needs so that it takes the place of this very one, as it was read, and of no other of its name. */
export function placeOf({ metadata }: ApiObject): Pick<ObjectMeta, "name" | "uid" | "resourceVersion"> {
  const { name, uid, resourceVersion } = metadata;
  return {
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}
