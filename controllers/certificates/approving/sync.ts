import type { CertificateSigningRequest } from "../../../pkg/api/types/certificates-v1.gen.ts";
import { runInTurns } from "../../../pkg/clock/turns.ts";
import { PermanentError } from "../../../pkg/controller/permanent-error.ts";
import type { OwnerSync, SyncResult } from "../../../pkg/controller/sync.ts";
import { type CertificateRequest, readPemRequest } from "../../../pkg/pki/certificate-request.ts";
import { CertificateError } from "../../../pkg/pki/der-reader.ts";
import { approve, mayCreate } from "./apply.ts";
import type { ApprovingContext } from "./context.ts";
import { isUndecided, recognizers } from "./recognizers.ts";

type RequestSync = OwnerSync<CertificateSigningRequest>;

/** Approves a request that it recognizes, if the API server lets the one who asks have such a certificate. */
export async function approveRequest(sync: RequestSync, context: ApprovingContext): Promise<SyncResult> {
  const { owner } = sync;
  if (!isUndecided(owner)) return {};
  const request = await readIt(sync, context);
  const candidates = recognizers.filter(({ recognizes }) => recognizes(owner.spec, request));
  for (const candidate of candidates) {
    if (!(await mayCreate(sync, context, candidate.subresource))) continue;
    sync.decided("The request is to be approved", { subresource: candidate.subresource });
    await approve(sync, context, candidate.message);
    return {};
  }
  if (candidates.length === 0) return {};
  // Somebody may be given the permission yet.
  const tried = candidates.map(({ subresource }) => subresource);
  sync.decided("Recognized, but the subject access review was not approved", { tried });
  return { backOff: true };
}

/** What cannot be read stays so: the request cannot change. */
async function readIt({ owner }: RequestSync, { clock }: ApprovingContext): Promise<CertificateRequest> {
  try {
    const text = Buffer.from(owner.spec.request, "base64").toString("latin1");
    return await runInTurns(clock, readPemRequest(text));
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    throw new PermanentError(`unable to parse csr ${JSON.stringify(owner.metadata.name)}`, error);
  }
}
