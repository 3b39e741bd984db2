import { formatTime } from "../../../pkg/api/time.ts";
import type {
  CertificateSigningRequest,
  CertificateSigningRequestStatus,
} from "../../../pkg/api/types/certificates-v1.gen.ts";
import { runInTurns } from "../../../pkg/clock/turns.ts";
import { PermanentError } from "../../../pkg/controller/permanent-error.ts";
import type { OwnerSync, SyncResult } from "../../../pkg/controller/sync.ts";
import { type CertificateRequest, readPemRequest } from "../../../pkg/pki/certificate-request.ts";
import { CertificateError } from "../../../pkg/pki/der-reader.ts";
import { checkRequestSignature } from "../../../pkg/pki/signatures.ts";
import type { Signer, SigningContext } from "./context.ts";
import { keyUsagesOf } from "./key-usages.ts";
import { isToBeSigned, refusalOf } from "./permitted.ts";
import { lifetimeMs, validityOf } from "./validity.ts";

type RequestSync = OwnerSync<CertificateSigningRequest>;

/** Answers an approved request: with a certificate, or with the reason why it gets none from this signer. */
export async function signRequest(
  sync: RequestSync,
  signer: Signer,
  context: SigningContext,
): Promise<SyncResult> {
  const { spec } = sync.owner;
  if (!isToBeSigned(sync.owner, signer.signerName)) return {};
  const request = await readIt(sync, context);
  const refusal = refusalOf(signer.signerName, request, spec.usages ?? []);
  if (refusal !== undefined) {
    sync.decided("The signer does not sign such requests", { message: refusal });
    const now = formatTime(context.clock.nowMs());
    const { conditions = [] } = sync.owner.status ?? {};
    const failed = {
      type: "Failed",
      status: "True",
      reason: "SignerValidationFailure",
      message: refusal,
      lastUpdateTime: now,
    };
    await writeStatus(sync, context, { conditions: [...conditions, failed] });
    return {};
  }
  const certificate = await sign(sync, { signer, request, context });
  await writeStatus(sync, context, { certificate: Buffer.from(certificate).toString("base64") });
  return {};
}

/** What cannot be read, or is not signed by the holder of its key, stays so: the request cannot change. */
async function readIt({ owner }: RequestSync, { clock }: SigningContext): Promise<CertificateRequest> {
  const text = Buffer.from(owner.spec.request, "base64").toString("latin1");
  try {
    return await runInTurns(clock, readPemRequest(text));
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    throw new PermanentError(`unable to parse csr ${JSON.stringify(owner.metadata.name)}`, error);
  }
}

interface Signature {
  readonly signer: Signer;
  readonly request: CertificateRequest;
  readonly context: SigningContext;
}

async function sign(sync: RequestSync, { signer, request, context }: Signature): Promise<string> {
  const { usages = [], expirationSeconds } = sync.owner.spec;
  await checkSignature(request, context);
  const keyUsages = keyUsagesOf(usages);
  if (typeof keyUsages === "string") throw new PermanentError(`error auto signing csr: ${keyUsages}`);
  const { clock } = context;
  // One and the same from here on, whatever becomes of its files.
  const { authority } = signer;
  const validity = validityOf({
    lifetimeMs: lifetimeMs(expirationSeconds, context.durationMs),
    signerNotAfterMs: authority.notAfterMs,
    nowMs: clock.nowMs(),
  });
  if (typeof validity === "string") throw new Error(`error auto signing csr: ${validity}`);
  sync.decided("The request is to be signed", {
    notAfter: formatTime(validity.notAfterMs),
    commonName: request.commonName,
  });
  const terms = { ...validity, ...keyUsages };
  const { signatures } = context;
  return authority.sign(request, terms, { run: async (steps) => runInTurns(clock, steps), signatures });
}

async function checkSignature(request: CertificateRequest, { signatures }: SigningContext): Promise<void> {
  try {
    await checkRequestSignature(request, signatures);
  } catch (error) {
    throw new PermanentError("unable to verify certificate request signature", error);
  }
}

async function writeStatus(
  sync: RequestSync,
  { writes }: SigningContext,
  changed: CertificateSigningRequestStatus,
): Promise<void> {
  const { owner } = sync;
  await writes.updateStatusUnread(sync, { ...owner, status: { ...owner.status, ...changed } });
}
