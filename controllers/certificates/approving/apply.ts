import type { CertificateSigningRequest } from "../../../pkg/api/types/certificates-v1.gen.ts";
import type { OwnerSync } from "../../../pkg/controller/sync.ts";
import type { ApprovingContext } from "./context.ts";

type RequestSync = OwnerSync<CertificateSigningRequest>;

/** Asks the API server whether the one who made the request may create this subresource of requests. */
export async function mayCreate(
  { owner, signal }: RequestSync,
  { reviews }: ApprovingContext,
  subresource: string,
): Promise<boolean> {
  const { username, uid, groups, extra } = owner.spec;
  const review = await reviews.create(
    {
      metadata: {},
      spec: {
        ...(username !== undefined && { user: username }),
        ...(uid !== undefined && { uid }),
        ...(groups !== undefined && { groups }),
        ...(extra !== undefined && { extra }),
        resourceAttributes: {
          group: "certificates.k8s.io",
          version: "*",
          resource: "certificatesigningrequests",
          subresource,
          verb: "create",
        },
      },
    },
    {},
    signal,
  );
  return review.status?.allowed === true;
}

export async function approve(
  sync: RequestSync,
  { writes }: ApprovingContext,
  message: string,
): Promise<void> {
  const { owner } = sync;
  const { conditions = [] } = owner.status ?? {};
  const approved = { type: "Approved", status: "True", reason: "AutoApproved", message };
  const status = { ...owner.status, conditions: [...conditions, approved] };
  await writes.updateSubresource(sync, { ...owner, status }, "approval");
}
