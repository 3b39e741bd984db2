import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import { child, items, type Json, optionalText, present, text } from "../../../api/json.ts";
import type { FieldErrors } from "../field-errors.ts";

/** What a pod's status says of the claims that were made for it. */
export function validateClaimStatuses(status: Json | undefined, spec: Json, errors: FieldErrors): void {
  const claims = new Set(items(spec, "resourceClaims").map((claim) => text(claim, "name")));
  const seen = new Set<string>();
  for (const [index, one] of items(status, "resourceClaimStatuses").entries()) {
    const at = `status.resourceClaimStatuses[${index}]`;
    const name = text(one, "name");
    if (!claims.has(name))
      errors.invalid(`${at}.name`, name, "must match the name of an entry in `spec.resourceClaims`");
    if (seen.has(name)) errors.duplicate(`${at}.name`, name);
    seen.add(name);
    const claim = optionalText(one, "resourceClaimName");
    if (claim !== undefined)
      errors.invalidEach(`${at}.resourceClaimName`, claim, dnsSubdomainProblems(claim));
  }
  const extended = child(status, "extendedResourceClaimStatus");
  if (extended !== undefined) validateExtended(extended, spec, "status.extendedResourceClaimStatus", errors);
}

/** The claim for all extended resources that containers ask for. */
function validateExtended(status: Json, spec: Json, path: string, errors: FieldErrors): void {
  const all = [...items(spec, "initContainers"), ...items(spec, "containers")];
  const containers = new Map(all.map((container) => [text(container, "name"), container]));
  const mappings = items(status, "requestMappings");
  if (mappings.length === 0)
    errors.required(`${path}.requestMappings`, "at least one request mapping is required");
  const seen = new Set<string>();
  for (const [index, mapping] of mappings.entries()) {
    const at = `${path}.requestMappings[${index}]`;
    const container = text(mapping, "containerName");
    const resource = text(mapping, "resourceName");
    const request = text(mapping, "requestName");
    const found = containers.get(container);
    if (found === undefined)
      errors.invalid(
        `${at}.containerName`,
        container,
        "must match the name of an entry in spec.initContainers.name or spec.containers.name",
      );
    else if (!present(child(child(found, "resources"), "requests"), resource))
      errors.invalid(
        `${at}.resourceName`,
        resource,
        "must match the extended resource name of an entry in spec.initContainers.resources.requests or " +
          "spec.containers.resources.requests",
      );
    errors.invalidEach(`${path}.requestName`, request, dnsLabelProblems(request));
    const key = JSON.stringify([container, resource, request]);
    if (seen.has(key)) {
      errors.duplicate(`${at}.containerName`, container);
      errors.duplicate(`${at}.resourceName`, resource);
      errors.duplicate(`${at}.requestName`, request);
    }
    seen.add(key);
  }
  const claim = text(status, "resourceClaimName");
  if (claim === "") errors.required(`${path}.resourceClaimName`);
  else errors.invalidEach(`${path}.resourceClaimName`, claim, dnsSubdomainProblems(claim));
}
