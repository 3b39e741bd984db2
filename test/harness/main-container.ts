import type { Container, PodStatus } from "../../pkg/api/types/core-v1.gen.ts";

/** Asks for the extended resources that the status says to be mapped to it: a server takes no others. */
export function mainContainer(status: PodStatus | undefined): Container {
  const mappings = status?.extendedResourceClaimStatus?.requestMappings ?? [];
  const amounts = Object.fromEntries(mappings.map(({ resourceName }) => [resourceName, "1"]));
  const asked = { resources: { requests: amounts, limits: amounts } };
  return { name: "main", image: "a", ...(mappings.length > 0 && asked) };
}
