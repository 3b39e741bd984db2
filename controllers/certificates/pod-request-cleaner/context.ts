import { resources } from "../../../pkg/api/resources.ts";
import type { Kit } from "../../../pkg/controller/kit.ts";

/** All that a round works with. */
export type CleanerContext = ReturnType<typeof cleanerContext>;

export function cleanerContext(kit: Kit) {
  const { client, clock } = kit.env;
  return {
    requests: kit.reads(resources.podCertificateRequests, { fields: [] }),
    client: client.clientFor(resources.podCertificateRequests),
    clock,
  };
}
