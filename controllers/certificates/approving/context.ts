import { resources } from "../../../pkg/api/resources.ts";
import type { Kit } from "../../../pkg/controller/kit.ts";

/** All that a sync works with. */
export type ApprovingContext = ReturnType<typeof approvingContext>;

export function approvingContext(kit: Kit) {
  const { client, clock } = kit.env;
  return {
    /** Whole, as they are written back. */
    requests: kit.reads(resources.certificateSigningRequests),
    writes: kit.writes(resources.certificateSigningRequests),
    reviews: client.clientFor(resources.subjectAccessReviews),
    clock,
  };
}
