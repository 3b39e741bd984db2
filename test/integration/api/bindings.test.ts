import { beforeAll, expect, test } from "vitest";
import { describeApi } from "./api-client.ts";

describeApi("bindings and health", (api) => {
  let home = "";
  beforeAll(async () => {
    home = `/api/v1/namespaces/${await api().namespace()}`;
    const spec = { automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }] };
    expect((await api().send("POST", `${home}/pods`, { metadata: { name: "p" }, spec })).status).toBe(201);
  });
  const target = { kind: "Node", name: "n" };

  test("a binding of old is one of the pod that it names, and only once", async () => {
    const tried = await api().send("POST", `${home}/bindings?dryRun=All`, {
      metadata: { name: "p" },
      target,
    });
    expect([tried.status, tried.body.status]).toEqual([201, "Success"]);
    const bound = await api().send("POST", `${home}/bindings`, { metadata: { name: "p" }, target });
    expect([bound.status, bound.body.kind, bound.body.status]).toEqual([201, "Status", "Success"]);
    expect((await api().get(`${home}/pods/p`)).body.spec["nodeName"]).toBe("n");
    const again = await api().send("POST", `${home}/bindings`, { metadata: { name: "p" }, target });
    expect([again.status, again.body.message]).toEqual([
      409,
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
    ]);
  });

  test("where to comes before what", async () => {
    const nowhere = await api().send("POST", `${home}/bindings`, {
      metadata: null,
      target: { kind: "X", name: "n" },
    });
    expect([nowhere.status, nowhere.body.message]).toEqual([
      500,
      'target.kind: Unsupported value: "X": supported values: "Node", "<empty>"',
    ]);
    const asked = await api().send("POST", `${home}/bindings?fieldValidation=x`, {
      metadata: { name: "p" },
      target: {},
    });
    expect(asked.status).toBe(422);
    const nobody = await api().send("POST", `${home}/bindings`, { metadata: null, target });
    expect([nobody.status, nobody.body.message]).toEqual([400, "Name parameter required."]);
  });

  test("who was nominated is forgotten, and a condition stays where it was", async () => {
    const pod = { automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }] };
    await api().send("POST", `${home}/pods`, { metadata: { name: "nominated" }, spec: pod });
    const path = `${home}/pods/nominated`;
    const waiting = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "full" };
    const conditions = [waiting, { type: "example.com/Ready", status: "True" }];
    const status = { nominatedNodeName: "n", conditions };
    const nominated = await api().patch(`${path}/status`, "merge", { status });
    expect(nominated.body.status).toMatchObject(status);
    const bound = await api().send("POST", `${path}/binding`, { metadata: { name: "nominated" }, target });
    expect(bound.status).toBe(201);
    const { body } = await api().get(path);
    expect(body.status).not.toHaveProperty("nominatedNodeName");
    const found = (body.status as { readonly conditions: readonly Record<string, unknown>[] }).conditions;
    expect(found.map(({ type, status: is, reason, message }) => [type, is, reason, message])).toEqual([
      ["PodScheduled", "True", undefined, undefined],
      ["example.com/Ready", "True", undefined, undefined],
    ]);
  });

  test("a pod that counts as scheduled has done so since then", async () => {
    const pod = { automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }] };
    await api().send("POST", `${home}/pods`, { metadata: { name: "early" }, spec: pod });
    const path = `${home}/pods/early`;
    const lastTransitionTime = "2001-02-03T04:05:06Z";
    const status = { conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime }] };
    await api().patch(`${path}/status`, "merge", { status });
    await api().send("POST", `${path}/binding`, { metadata: { name: "early" }, target });
    const { body } = await api().get(path);
    expect(body.spec["nodeName"]).toBe("n");
    expect(body.status).toMatchObject(status);
  });

  test.each([
    ["of no pod that there is", { metadata: { name: "q" }, target }, 404, 'pods "q" not found'],
    ["of nothing", { target }, 400, "Name parameter required."],
  ] as const)("a binding %s", async (_, body, ...expected) => {
    const refused = await api().send("POST", `${home}/bindings`, body);
    expect([refused.status, refused.body.message]).toEqual(expected);
    expect((await api().get(`${home}/bindings`)).status).toBe(405);
  });

  const ok = [
    "/livez",
    "/readyz",
    "/healthz",
    "/livez/ping",
    "/readyz/etcd",
    "/readyz/etcd-readiness",
    "/readyz/informer-sync",
    "/readyz/shutdown",
    "/livez/poststarthook/start-apiextensions-controllers",
    "/livez?exclude=etcd",
  ];
  test.each(ok)("%s is ok", async (path) => {
    const { status, body, headers } = await api().get(path);
    expect([status, body, headers["content-type"]]).toEqual([200, "ok", "text/plain; charset=utf-8"]);
  });

  test.each(["/livez/nope", "/livez/shutdown", "/healthz/informer-sync"])("%s is not there", async (path) => {
    expect((await api().get(path)).status).toBe(404);
  });

  test("what was looked at, and what was left out", async () => {
    const { body } = await api().get("/readyz?verbose&exclude=etcd&exclude=nope");
    const lines = (body as unknown as string).split("\n");
    expect(lines).toEqual(expect.arrayContaining(["[+]ping ok", "[+]etcd excluded: ok", "[+]shutdown ok"]));
    expect(lines.slice(-3)).toEqual([
      'warn: some health checks cannot be excluded: no matches for "nope"',
      "readyz check passed",
      "",
    ]);
  });
});
