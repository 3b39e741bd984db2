import { describe, expect, test } from "vitest";
import { authenticateBy, type Authenticator } from "./authentication.ts";
import { bearerTokens } from "./bearer-token.ts";
import { peerRequest } from "../peer-request.ts";
import { anonymous, type User } from "../../../../pkg/manager/access/user.ts";

const request = peerRequest([], []);
const nobody: Authenticator = async () => undefined;
const refuses =
  (message: string): Authenticator =>
  async () => {
    throw new Error(message);
  };
const knows =
  (name: string, ...groups: string[]): Authenticator =>
  async () => ({ name, groups });

describe("several ways to authenticate", () => {
  test.each<[string, readonly Authenticator[], User]>([
    ["no credentials: anonymous", [nobody, nobody], anonymous],
    ["no way at all: anonymous", [], anonymous],
    ["the first that knows decides", [nobody, knows("a"), knows("b")], user("a", "system:authenticated")],
    ["bad credentials do not spoil good ones", [refuses("x"), knows("a")], user("a", "system:authenticated")],
    ["groups stay", [knows("a", "g")], user("a", "g", "system:authenticated")],
    ["the group is added once", [knows("a", "system:authenticated")], user("a", "system:authenticated")],
    ["nor to strangers", [knows("a", "system:unauthenticated")], user("a", "system:unauthenticated")],
    ["nor to the anonymous", [knows("system:anonymous")], user("system:anonymous")],
  ])("%s", async (_, ways, expected) => {
    await expect(authenticateBy(ways)(request)).resolves.toEqual(expected);
  });

  test("only bad credentials: refused, with every reason once", async () => {
    const ways = [refuses("one"), nobody, refuses("two"), refuses("one")];
    await expect(authenticateBy(ways)(request)).rejects.toThrow(/^one, two$/);
  });
});

function user(name: string, ...groups: string[]): User {
  return { name, groups };
}

describe("the Authorization header", () => {
  const byToken = bearerTokens(async (token) => (token === "good" ? user("a") : undefined));
  test.each<[string, User | undefined]>([
    ["Bearer good", user("a")],
    ["bearer good", user("a")],
    ["  Bearer good ", user("a")],
    ["Bearer good and more", user("a")],
    ["Basic good", undefined],
    ["Bearer", undefined],
    ["Bearer  good", undefined],
    ["good", undefined],
  ])("%j", async (value, expected) => {
    await expect(byToken(peerRequest(["Authorization", value], []))).resolves.toEqual(expected);
  });

  test("a token that is nobody's is refused", async () => {
    const attempt = byToken(peerRequest(["authorization", "Bearer bad"], []));
    await expect(attempt).rejects.toThrow("invalid bearer token");
  });
});
