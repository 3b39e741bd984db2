import type { Call } from "./call.ts";
import type { Negotiated } from "./negotiate.ts";

/** upstream: these parts of objects have thought of no table. */
const withoutTables = new Set([
  "certificates.k8s.io/certificatesigningrequests/approval",
  "pods/ephemeralcontainers",
  "pods/resize",
  "resource.k8s.io/devicetaintrules/status",
  "resource.k8s.io/resourceclaims/status",
  "resource.k8s.io/resourcepoolstatusrequests/status",
  "scheduling.k8s.io/podgroups/status",
]);

/** In which forms the object, or the part of it that the path names, is shown. */
export function formsOf({ served, info }: Pick<Call, "served" | "info">): Negotiated {
  const isWithout = withoutTables.has(`${served.bucket}/${info.subresource}`);
  return { inProtobuf: served.inProtobuf, route: isWithout ? "computed" : "one" };
}
