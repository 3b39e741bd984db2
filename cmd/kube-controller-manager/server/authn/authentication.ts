import { messageOf } from "../../../../pkg/api/errors.ts";
import type { PeerRequest } from "../peer-request.ts";
import { AuthenticationError } from "../../../../pkg/manager/access/authentication-error.ts";
import { anonymous, AUTHENTICATED, UNAUTHENTICATED, type User } from "../../../../pkg/manager/access/user.ts";

/**
 * One way to tell who makes a request: resolves to undefined when the request has no credentials of this kind, rejects
 * when it has some that are not good.
 */
export type Authenticator = (request: PeerRequest) => Promise<User | undefined>;

/**
 * The first way that knows the user decides, whatever the ways before it thought of their credentials. A request without
 * any credentials is anonymous; one with none but bad ones is refused.
 */
export function authenticateBy(
  authenticators: readonly Authenticator[],
): (request: PeerRequest) => Promise<User> {
  return async (request) => {
    const errors: unknown[] = [];
    for (const authenticator of authenticators) {
      try {
        const user = await authenticator(request);
        if (user !== undefined) return withAuthenticatedGroup(user);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 0) return anonymous;
    const messages = errors.map(messageOf);
    throw new AuthenticationError([...new Set(messages)].join(", "), errors[0]);
  };
}

function withAuthenticatedGroup(user: User): User {
  const { name, groups } = user;
  if (name === anonymous.name || groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED)) {
    return user;
  }
  return { ...user, groups: [...groups, AUTHENTICATED] };
}
