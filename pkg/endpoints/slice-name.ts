import { dnsSubdomainProblems } from "../api/names.ts";

export const MANAGED_BY_LABEL = "endpointslice.kubernetes.io/managed-by";

/** What the generated names of slices begin with: with a dash, unless the name leaves no place for one. */
export function slicePrefix(name: string): string {
  // What will follow the dash is not known yet: some letter or digit.
  const isValid = dnsSubdomainProblems(`${name.slice(0, -1)}a`).length === 0;
  return isValid ? `${name}-` : name;
}
