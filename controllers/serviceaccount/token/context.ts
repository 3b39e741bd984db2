import type { Stored } from "../../../pkg/api/object.ts";
import type { Projected } from "../../../pkg/api/projected.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Secret } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Kit } from "../../../pkg/controller/kit.ts";
import type { TokenSigner } from "../../../pkg/tokens/token-signer.ts";
import { ACCOUNT_FIELDS, CONTENT_FIELDS, TOKEN_SECRETS } from "./token-secret.ts";

export interface TokenSettings {
  readonly workers: number;
  /** Called once, when the controller is built; what they throw ends the process. */
  readonly signer: () => TokenSigner;
  /** In PEM; "" when there is none. */
  readonly rootCa: () => string;
}

/** What is read of the Secrets that hold tokens. */
const SECRET_FIELDS = [...ACCOUNT_FIELDS, "type", ...CONTENT_FIELDS] as const;
export type CachedSecret = Stored<Projected<Secret, typeof SECRET_FIELDS>>;

/** All that the syncs of accounts and Secrets work with. */
export type TokenContext = ReturnType<typeof tokenContext>;

export function tokenContext(kit: Kit, { signer, rootCa }: TokenSettings) {
  const { client, clock, random } = kit.env;
  return {
    accounts: kit.reads(resources.serviceAccounts, { fields: [], resyncMs: 0 }),
    secrets: kit.reads(resources.secrets, { ...TOKEN_SECRETS, fields: SECRET_FIELDS, resyncMs: 0 }),
    accountClient: client.clientFor(resources.serviceAccounts),
    secretClient: client.clientFor(resources.secrets),
    signer: signer(),
    rootCa: rootCa(),
    clock,
    random,
  };
}
