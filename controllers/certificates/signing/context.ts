import type { SignerName } from "../../../pkg/api/certificate-requests.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Clock } from "../../../pkg/clock/clock.ts";
import type { Kit } from "../../../pkg/controller/kit.ts";
import type { Logger } from "../../../pkg/log/logger.ts";
import type { SignatureWork } from "../../../pkg/pki/signatures.ts";
import type { SigningAuthority } from "../../../pkg/pki/signing-authority.ts";

/** An authority that is kept in files. */
export interface AuthorityFiles {
  /** As the files are now. Throws when they cannot be used. */
  load(): SigningAuthority;
  /** Calls back with what the files have become, whenever they hold another authority, until the signal aborts. */
  follow(
    apply: (authority: SigningAuthority) => void,
    parts: { readonly clock: Clock; readonly log: Logger },
    signal: AbortSignal,
  ): Promise<void>;
}

export interface SigningSettings {
  /** The signers that there is an authority for. */
  readonly signers: readonly { readonly signerName: SignerName; readonly files: AuthorityFiles }[];
  /** The longest that a certificate lives. */
  readonly durationMs: number;
  readonly signatures: SignatureWork;
}

/** All that the syncs of all signers work with. */
export type SigningContext = ReturnType<typeof signingContext>;

/** One of them, whose authority is another one when its files change. */
export interface Signer {
  readonly signerName: SignerName;
  authority: SigningAuthority;
}

export function signingContext(kit: Kit, { durationMs, signatures }: SigningSettings) {
  return {
    /** Whole, as they are written back. */
    requests: kit.reads(resources.certificateSigningRequests),
    writes: kit.writes(resources.certificateSigningRequests),
    durationMs,
    signatures,
    clock: kit.env.clock,
  };
}
