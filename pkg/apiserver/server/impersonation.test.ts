import { expect, test } from "vitest";
import { parseImpersonation } from "./impersonation.ts";

const names = (headers: Record<string, string>): readonly string[] =>
  (parseImpersonation(headers)?.needs ?? []).map(
    ({ group, plural, subresource, namespace, name }) =>
      `${group}/${plural}/${subresource} ${namespace}/${name}`,
  );

test("without headers everybody is who they are", () => {
  expect(parseImpersonation({ accept: "application/json" })).toBeUndefined();
});

test.each([
  {
    what: "a user is authenticated",
    headers: { "impersonate-user": "bob" },
    user: { username: "bob", groups: ["system:authenticated"] },
    needs: ["/users/ /bob"],
  },
  {
    what: "groups, UID and extra fields are asked for one by one",
    headers: {
      "impersonate-user": "bob",
      "impersonate-group": "a\nb, and c",
      "impersonate-uid": "7",
      "impersonate-extra-example.com%2froles": "x\ny",
    },
    user: {
      username: "bob",
      groups: ["a", "b, and c", "system:authenticated"],
      uid: "7",
      extra: { "example.com/roles": ["x", "y"] },
    },
    needs: [
      "/users/ /bob",
      "/groups/ /a",
      "/groups/ /b, and c",
      "authentication.k8s.io/userextras/example.com/roles /x",
      "authentication.k8s.io/userextras/example.com/roles /y",
      "authentication.k8s.io/uids/ /7",
    ],
  },
  {
    what: "a service account comes with its groups",
    headers: { "impersonate-user": "system:serviceaccount:a:robot" },
    user: {
      username: "system:serviceaccount:a:robot",
      groups: ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"],
    },
    needs: ["/serviceaccounts/ a/robot"],
  },
  {
    what: "groups that are given replace those of a service account",
    headers: { "impersonate-user": "system:serviceaccount:a:robot", "impersonate-group": "devs" },
    user: { username: "system:serviceaccount:a:robot", groups: ["devs", "system:authenticated"] },
    needs: ["/serviceaccounts/ a/robot", "/groups/ /devs"],
  },
  {
    what: "anonymous is not authenticated",
    headers: { "impersonate-user": "system:anonymous" },
    user: { username: "system:anonymous", groups: ["system:unauthenticated"] },
    needs: ["/users/ /system:anonymous"],
  },
  {
    what: "who says to be unauthenticated is",
    headers: { "impersonate-user": "bob", "impersonate-group": "system:unauthenticated" },
    user: { username: "bob", groups: ["system:unauthenticated"] },
    needs: ["/users/ /bob", "/groups/ /system:unauthenticated"],
  },
])("$what", ({ headers, user, needs }) => {
  expect(parseImpersonation(headers as Record<string, string>)?.user).toEqual(user);
  expect(names(headers as Record<string, string>)).toEqual(needs);
});

test.each(["impersonate-group", "impersonate-uid", "impersonate-extra-a"])(
  "%s without a user is a bad request",
  (header) => {
    expect(() => parseImpersonation({ [header]: "x" })).toThrow(/without impersonating a user/);
  },
);
