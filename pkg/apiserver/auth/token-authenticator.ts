import type { Authenticator, UserInfo } from "../server/access.ts";
import type { ServiceAccountTokens } from "./service-account-tokens.ts";

export interface TokenAuthenticatorOptions {
  /** Users by a token that never changes: administrators of a test, components. */
  readonly staticTokens?: ReadonlyMap<string, UserInfo>;
  readonly serviceAccounts?: ServiceAccountTokens;
  /** Lets requests without any credentials through, as system:anonymous. */
  readonly anonymous: boolean;
}

const anonymousUser: UserInfo = { username: "system:anonymous", groups: ["system:unauthenticated"] };

/** Knows who asks from the Authorization header; client certificates are the carrier's affair. */
export class TokenAuthenticator implements Authenticator {
  readonly #options: TokenAuthenticatorOptions;

  constructor(options: TokenAuthenticatorOptions) {
    this.#options = options;
  }

  async authenticate(headers: Readonly<Record<string, string>>): Promise<UserInfo | undefined> {
    const token = /^bearer\s+(\S+)\s*$/i.exec(headers["authorization"] ?? "")?.[1];
    // A token that is wrong is not the same as none.
    if (token === undefined) return this.#options.anonymous ? anonymousUser : undefined;
    const { staticTokens, serviceAccounts } = this.#options;
    const known = staticTokens?.get(token);
    if (known !== undefined) return known;
    return (await serviceAccounts?.verify(token, [serviceAccounts.issuer]))?.user;
  }
}
