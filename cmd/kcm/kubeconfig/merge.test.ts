import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { accessEntries } from "./access.ts";
import { checkMergeable, ownMark, withEntries, withoutEntries } from "./merge.ts";

const ours = (name: string): ReturnType<typeof accessEntries> =>
  accessEntries(name, { url: "https://127.0.0.1:7443" }, ownMark);

const theirs = `# mine
apiVersion: v1
kind: Config
current-context: work
preferences: {}
clusters:
- name: work
  cluster: {server: 'https://example.com', extensions: [{name: minikube, extension: {n: 7, on: "yes"}}]}
contexts:
- {name: work, context: {cluster: work, user: me, namespace: "0123"}}
users:
- name: me
  user:
    token: "2026-01-01"
    exec: {command: login, env: [{name: A, value: "1e3"}, {name: B, value: "12:30"}]}
`;

describe("a cluster in a kubeconfig that is there", () => {
  test("is added, and all else means what it meant", () => {
    const merged = load(withEntries(theirs, ours("a"))) as Record<string, unknown[]>;
    const before = load(theirs) as Record<string, unknown[]>;
    expect(merged["contexts"]).toHaveLength(2);
    expect({ ...merged, clusters: merged["clusters"]?.slice(0, 1) }).toMatchObject({
      "current-context": "work",
      preferences: {},
      clusters: before["clusters"],
    });
    expect(merged["users"]?.[0]).toEqual(before["users"]?.[0]);
  });

  test("is replaced by the next of its name, and taken out alone", () => {
    const twice = withEntries(withEntries(withEntries(theirs, ours("a")), ours("b")), ours("a"));
    const left = withoutEntries(withoutEntries(twice, "a") ?? "", "b");
    expect(load(left ?? "")).toEqual(load(theirs));
    expect(withoutEntries(left ?? "", "a")).toBeUndefined();
  });

  test("texts stay texts for readers of YAML 1.1", () => {
    const text = withEntries(theirs, ours("a"));
    for (const value of ['"2026-01-01"', '"1e3"', '"0123"', '"yes"', '"12:30"'])
      expect(text).toContain(value);
  });
});

test("is all that there is in an empty one, and then the current context", () => {
  for (const empty of ["", "\n", "{}", "---\n", "clusters: null\ncurrent-context: ''\n"]) {
    const text = withEntries(empty, ours("a"));
    expect(load(text)).toMatchObject({ apiVersion: "v1", kind: "Config", "current-context": "kcm-a" });
    expect(load(withoutEntries(text, "a") ?? "")).toMatchObject({ "current-context": "", contexts: [] });
  }
});

test.each([
  ["{", "it is not YAML"],
  ["[]", "it does not hold one object"],
  ["a text", "it does not hold one object"],
  ["users: {}", "its users are not a list of named entries"],
  ["contexts: [{context: {}}]", "its contexts are not a list of named entries"],
  ["users: [{name: kcm-a, user: {token: x}}]", "kcm-a in its users is not from kcm"],
])("%j is refused: %s", (text, message) => {
  expect(() => checkMergeable(text, "a")).toThrow(message);
});

test("a number that would not survive is not written again", () => {
  const text = "preferences: {n: 12345678901234567890}";
  expect(() => withEntries(text, ours("a"))).toThrow("would not survive");
});

test("entries of that name that are somebody else's are not taken out", () => {
  const foreign = "users: [{name: kcm-a, user: {token: x}}]";
  expect(withoutEntries(foreign, "a")).toBeUndefined();
});
