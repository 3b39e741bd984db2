import { describe, expect, test } from "vitest";
import { authorizeBy } from "./authorization.ts";
import { anonymous, type User } from "../../../../pkg/manager/access/user.ts";

const master: User = { name: "root", groups: ["system:masters"] };

describe("who may do what without asking the API server", () => {
  test.each<[User, string, readonly string[], string]>([
    [master, "/metrics", [], "allowed"],
    [anonymous, "/metrics", [], "no-opinion"],
    [anonymous, "/healthz", ["/healthz"], "allowed"],
    [anonymous, "/healthz", ["healthz"], "allowed"],
    [anonymous, "/healthz/x", ["/healthz"], "no-opinion"],
    [anonymous, "/healthz/x", ["/healthz/*"], "allowed"],
    [anonymous, "/healthz", ["/healthz/*"], "no-opinion"],
    [anonymous, "/anything", ["*"], "allowed"],
    [anonymous, "/", ["/"], "allowed"],
    [anonymous, "/x", ["/"], "no-opinion"],
  ])("%j on %s with %j", async (user, path, open, result) => {
    await expect(authorizeBy(open, undefined)({ user, verb: "get", path })).resolves.toEqual({ result });
  });

  test("a star in the middle is refused", () => {
    expect(() => authorizeBy(["/a*b"], undefined)).toThrow('only trailing * allowed in "a*b"');
  });
});
