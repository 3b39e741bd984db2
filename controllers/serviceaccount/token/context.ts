import { resources } from "../../../pkg/api/resources.ts";
import type { Kit } from "../../../pkg/controller/kit.ts";
import type { TokenSigner } from "../../../pkg/tokens/token-signer.ts";
import { ACCOUNT_NAME, ACCOUNT_UID, TOKEN_SECRETS } from "./token-secret.ts";

export interface TokenSettings {
  readonly workers: number;
  /** Called once, when the controller is built; what they throw ends the process. */
  readonly signer: () => TokenSigner;
  /** In PEM; "" when there is none. */
  readonly rootCa: () => string;
}

/** What is read of the Secrets that hold tokens. */
const SECRET_FIELDS = [
  `metadata.annotations[${ACCOUNT_NAME}]`,
  `metadata.annotations[${ACCOUNT_UID}]`,
  "type",
  "data[ca.crt]",
  "data.namespace",
  "data.token",
];

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
