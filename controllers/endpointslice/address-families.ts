import { isIpv6 } from "../../pkg/endpoints/ip-address.ts";
import { hasClusterIp } from "../../pkg/endpoints/backing-pods.ts";
import type { CachedService } from "./fields.ts";

export type Family = "IPv4" | "IPv6";
export const FAMILIES: readonly Family[] = ["IPv4", "IPv6"];

/**
 * The families for which a Service has slices. API servers fill in ipFamilies. Where they are missing all the same,
 * slices that are in use must not be taken away: the cluster IP decides, and without one both families are kept.
 */
export function familiesOf(service: CachedService): readonly Family[] {
  const named = FAMILIES.filter((family) => service.spec?.ipFamilies?.includes(family) === true);
  if (named.length > 0) return named;
  if (!hasClusterIp(service)) return FAMILIES;
  return isIpv6(service.spec?.clusterIP ?? "") ? ["IPv6"] : ["IPv4"];
}
