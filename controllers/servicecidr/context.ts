import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { RANGE_FIELDS } from "./ranges.ts";
import { ServiceRanges } from "./service-ranges.ts";

/** All that a sync works with. */
export type ServiceCidrContext = ReturnType<typeof serviceCidrContext>;

export function serviceCidrContext(kit: Kit) {
  const { clock, events } = kit.env;
  return {
    cidrs: kit.reads(resources.serviceCIDRs, { fields: RANGE_FIELDS }),
    addresses: kit.reads(resources.ipAddresses, { fields: [] }),
    ranges: new ServiceRanges(),
    writes: kit.writes(resources.serviceCIDRs),
    clock,
    events,
  };
}
