import { AuthenticationError, type Authenticator } from "./authentication.ts";
import type { User } from "./user.ts";

/** Resolves to undefined for a token that is nobody's. */
export type TokenAuthenticator = (token: string) => Promise<User | undefined>;

export function bearerTokens(whose: TokenAuthenticator): Authenticator {
  return async (request) => {
    const [scheme = "", token = ""] = (request.header("authorization")[0] ?? "").trim().split(" ");
    if (scheme.toLowerCase() !== "bearer" || token === "") return undefined;
    const user = await whose(token);
    if (user === undefined) throw new AuthenticationError("invalid bearer token");
    return user;
  };
}
