import { groupResource, type Resource } from "../../api/resource.ts";

/** By group and resource, as of v1.36. upstream: k8s.io/api, APILifecycleDeprecated */
const deprecated: Readonly<Record<string, string>> = {
  componentstatuses: "v1 ComponentStatus is deprecated in v1.19+",
  endpoints: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
};

/** What every request for the resource is warned of. */
export function deprecationsOf(resource: Resource): readonly string[] {
  const text = deprecated[groupResource(resource)];
  return text === undefined ? [] : [text];
}
