import type { Projected } from "../../api/projected.ts";
import type { Service } from "../../api/types/core-v1.gen.ts";
import type { IPAddress } from "../../api/types/networking-v1.gen.ts";
import { labelsOfGiven } from "../../endpoints/given-address.ts";

/** What is read of services. */
export const HOLDER_FIELDS = ["spec.clusterIPs"] as const;
type Holder = Projected<Service, typeof HOLDER_FIELDS>;

/** Those that the server has given the service. */
export function addressesOf({ spec }: Holder): readonly string[] {
  return (spec?.clusterIPs ?? []).filter((address) => address !== "" && address !== "None");
}

/** What says that the service has the address. */
export function addressObject(
  address: string,
  { metadata: { namespace = "", name = "" } }: Holder,
): IPAddress {
  const labels = labelsOfGiven(address.includes(":") ? "IPv6" : "IPv4");
  const parentRef = { group: "", resource: "services", namespace, name };
  return { metadata: { name: address, labels }, spec: { parentRef } };
}

export function isHeldBy({ spec }: Pick<IPAddress, "spec">, holder: Holder | undefined): boolean {
  const parent = spec?.parentRef;
  return (
    holder !== undefined &&
    parent?.resource === "services" &&
    parent.namespace === holder.metadata.namespace &&
    parent.name === holder.metadata.name
  );
}
