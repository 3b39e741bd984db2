import { AuthenticationError } from "../../../../pkg/manager/access/authentication-error.ts";
import { bearerTokenOf } from "../../../../pkg/manager/access/bearer-token.ts";
import type { TokenAuthenticator } from "../../../../pkg/manager/access/token-review.ts";
import type { Authenticator } from "./authentication.ts";

export function bearerTokens(whose: TokenAuthenticator): Authenticator {
  return async (request) => {
    const token = bearerTokenOf(request.header("authorization")[0]);
    if (token === undefined) return undefined;
    const user = await whose(token);
    if (user === undefined) throw new AuthenticationError("invalid bearer token");
    return user;
  };
}
