import { beforeAll, expect, test } from "vitest";
import { describeApi } from "./api-client.ts";

/** A namespace that a finalizer holds while it goes. */
describeApi("what is created below an object", (api) => {
  let home = "";
  const containers = [{ name: "c", image: "i" }];
  const target = { kind: "Node", name: "n" };
  beforeAll(async () => {
    const name = await api().namespace();
    home = `/api/v1/namespaces/${name}`;
    const spec = { automountServiceAccountToken: false, containers };
    const pod = { metadata: { name: "p", finalizers: ["example.com/hold"] }, spec };
    expect((await api().send("POST", `${home}/pods`, pod)).status).toBe(201);
    expect((await api().send("DELETE", home)).status).toBe(200);
  });
  const gone = (what: string): string => {
    const name = home.split("/").at(-1) ?? "";
    return `${what} is forbidden: unable to create new content in namespace ${name} because it is being terminated`;
  };

  test.each([
    ["a binding", "pods/p/binding", { metadata: { name: "p" }, target }, 'pods "p"'],
    ["a binding of no pod", "pods/q/binding", { metadata: { name: "q" }, target }, 'pods "q"'],
    ["a binding of old", "bindings", { metadata: { name: "p" }, target }, 'bindings "p"'],
    [
      "an eviction",
      "pods/p/eviction",
      { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } },
      'pods "p"',
    ],
    ["a token", "serviceaccounts/default/token", { spec: {} }, 'serviceaccounts "default"'],
    ["a token of nobody", "serviceaccounts/nobody/token", { spec: {} }, 'serviceaccounts "nobody"'],
    ["a pod without a name", "pods", { spec: { containers } }, 'pods "Unknown"'],
    [
      "a pod whose name is to be made",
      "pods",
      { metadata: { generateName: "g-" }, spec: { containers } },
      'pods "g-"',
    ],
  ] as const)("%s is refused in a namespace that goes", async (_, path, body, what) => {
    const { status, body: refused } = await api().send("POST", `${home}/${path}`, body);
    expect([status, refused.message]).toEqual([403, gone(what)]);
  });

  test.each([
    ["p", "q", "name in URL does not match name in Binding object"],
    [".", ".", "Name parameter invalid: \".\": may not be '.'"],
  ])("a binding at %j of %j says what is wrong with its name", async (at, name, message) => {
    const other = `/api/v1/namespaces/${await api().namespace()}`;
    const path = at === "." ? `${other}/bindings` : `${other}/pods/${at}/binding`;
    const { status, body } = await api().send("POST", path, { metadata: { name }, target });
    expect([status, body.message]).toEqual([400, message]);
  });
});
