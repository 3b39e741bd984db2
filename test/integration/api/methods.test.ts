import { beforeAll, expect, test } from "vitest";
import { describeApi } from "./api-client.ts";

describeApi("methods and forms", (api) => {
  let home = "";
  beforeAll(async () => {
    home = `/api/v1/namespaces/${await api().namespace()}`;
  });
  const others = ["POST", "PUT", "DELETE", "HEAD"];

  test.each(["/", "/apis", "/apis/", "/apis/apps", "/openapi/v2", "/openapi/v3", "/healthz"])(
    "%s minds no methods",
    async (path) => {
      for (const method of others) expect((await api().send(method, path)).status, method).toBe(200);
    },
  );

  test.each(["/version", "/api", "/api/v1", "/apis/apps/v1", "/api/v1/componentstatuses"])(
    "%s is read by GET",
    async (path) => {
      for (const method of others) expect((await api().send(method, path)).status, method).toBe(405);
    },
  );

  test.each(["/apis/nope", "/apis/apps/v9", "/api/v1/nopes", "/nope"])("%s is nowhere", async (path) => {
    for (const method of others) expect((await api().send(method, path)).status, method).toBe(404);
  });

  test("only a GET watches, and nothing of it deletes", async () => {
    await api().send("POST", `${home}/configmaps`, { metadata: { name: "a" } });
    const path = `${home.replace("/v1/", "/v1/watch/")}/configmaps?timeoutSeconds=1`;
    for (const method of others) expect((await api().send(method, path)).status, method).toBe(405);
    expect((await api().get(`${home}/configmaps/a`)).status).toBe(200);
  });

  test("a watch of lists is taken, and ends with the first event", async () => {
    await api().send("POST", `${home}/configmaps`, { metadata: { name: "b" } });
    const accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    const path = `${home}/configmaps?watch=true&timeoutSeconds=30`;
    const { status, body } = await api().get(path, { accept });
    expect([status, body]).toEqual([200, ""]);
    const { body: list } = await api().get(`${home}/configmaps`);
    const later = api().get(`${path}&resourceVersion=${list.metadata.resourceVersion}`, { accept });
    expect((await api().send("POST", `${home}/configmaps`, { metadata: { name: "c" } })).status).toBe(201);
    expect((await later).status).toBe(200);
  });

  test("what must be true of an object that is deleted may be said in the query", async () => {
    const { body } = await api().send("POST", `${home}/configmaps`, { metadata: { name: "q" } });
    const { uid, resourceVersion } = body.metadata;
    const statusOf = async (query: string): Promise<number> =>
      (await api().send("DELETE", `${home}/configmaps/q?${query}`)).status;
    expect(await statusOf("uid=x")).toBe(409);
    expect(await statusOf("resourceVersion=1")).toBe(409);
    expect(await statusOf(`uid=${uid}&resourceVersion=${resourceVersion}&dryRun=All`)).toBe(200);
  });

  test("parts of objects that have no tables are shown as they are, or not at all", async () => {
    const spec = { automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }] };
    await api().send("POST", `${home}/pods`, { metadata: { name: "p" }, spec });
    const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const kindAt = async (path: string, accept: string): Promise<unknown> => {
      const { status, body } = await api().get(`${home}/pods/p/${path}`, { accept });
      return status === 200 ? body.kind : status;
    };
    expect(await kindAt("status", table)).toBe("Table");
    expect(await kindAt("resize", table)).toBe(406);
    expect(await kindAt("ephemeralcontainers", `${table},application/json`)).toBe("Pod");
  });

  test("kinds that are in no namespace are not selected by it", async () => {
    const { status, body } = await api().get(
      "/api/v1/nodes?fieldSelector=metadata.namespace%3Dx&resourceVersion=x",
    );
    expect([status, body.message]).toEqual([400, "field label not supported: metadata.namespace"]);
    expect((await api().get("/api/v1/persistentvolumes?fieldSelector=metadata.namespace%3Dx")).status).toBe(
      200,
    );
  });

  test("a namespace that does not match is told of before a name that is missing", async () => {
    await api().send("POST", `${home}/configmaps`, { metadata: { name: "p" } });
    const { body } = await api().send("PUT", `${home}/configmaps/p`, { metadata: { namespace: "other" } });
    expect(body.message).toBe(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  });

  test("a collection of one name is deleted as it is by now", async () => {
    const before = await api().send("POST", `${home}/configmaps`, { metadata: { name: "before" } });
    const made = await api().send("POST", `${home}/configmaps`, { metadata: { name: "one" } });
    await api().caughtUp(`${home}/configmaps`, made);
    const version = before.body.metadata.resourceVersion;
    const path = `${home}/configmaps?fieldSelector=metadata.name%3Done&resourceVersion=${version}`;
    const refused = await api().send("DELETE", path);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining(`the ResourceVersion in the precondition (${version}) does not match`),
    ]);
    const options = { kind: "DeleteOptions", apiVersion: "v1" };
    const { body } = await api().send("DELETE", path, options, { "content-type": "application/json" });
    expect(body.items.map((item) => item.metadata.name)).toEqual(["one"]);
  });

  test.each([
    ["a%3Cx", undefined],
    ["a%3Db", "fz"],
  ])("who may not list with labels %s is told of the name %s", async (labels, name) => {
    const path = `${home}/configmaps?labelSelector=${labels}&fieldSelector=metadata.name%3Dfz`;
    const { status, body } = await api().get(path, { "impersonate-user": "stranger" });
    expect([status, body.details["name"]]).toEqual([403, name]);
  });

  test("a binding of old has its options read before its body", async () => {
    const binding = { metadata: { name: "x" }, target: { name: [] } };
    const { status } = await api().send("POST", `${home}/bindings?fieldValidation=strict`, binding);
    expect(status).toBe(422);
  });

  test("a namespace that is deleted by the old flag waits for what depends on it", async () => {
    const name = await api().namespace();
    const options = { kind: "DeleteOptions", apiVersion: "v1", orphanDependents: false };
    const { body } = await api().send("DELETE", `/api/v1/namespaces/${name}`, options, {
      "content-type": "application/json",
    });
    expect(body.metadata.finalizers).toEqual(["foregroundDeletion"]);
  });

  test("ports that have no number are shown by their names", async () => {
    const slices = `${home.replace("/api/v1", "/apis/discovery.k8s.io/v1")}/endpointslices`;
    const slice = (name: string, ports: object[]) => ({
      metadata: { name },
      addressType: "IPv4",
      endpoints: [],
      ports,
    });
    await api().send("POST", slices, slice("a", [{ name: "web" }, { name: "b", port: 81 }]));
    await api().send("POST", slices, slice("b", [{}]));
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const rows = (await api().get(slices, { accept })).body["rows"] as readonly { cells: unknown[] }[];
    expect(rows.map(({ cells }) => cells[2])).toEqual(["web,81", "<unset>"]);
  });

  test("kinds without columns of their own have no rows where there are none of them", async () => {
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const roles = home.replace("/api/v1", "/apis/rbac.authorization.k8s.io/v1");
    expect((await api().get(`${roles}/roles`, { accept })).body["rows"]).toBe(null);
    expect((await api().get(`${roles}/rolebindings`, { accept })).body["rows"]).toEqual([]);
  });

  test("a collection is deleted as it was at the version that is named", async () => {
    const metadata = (name: string) => ({ metadata: { name, labels: { of: "the-past" } } });
    const { body } = await api().send("POST", `${home}/secrets`, metadata("old"));
    await api().send("POST", `${home}/secrets`, metadata("new"));
    const path = `${home}/secrets?labelSelector=of%3Dthe-past`;
    const version = body.metadata.resourceVersion;
    const gone = await api().send("DELETE", `${path}&resourceVersion=${version}`);
    expect(gone.body.items.map((item) => item.metadata.name)).toEqual(["old"]);
    expect((await api().get(path)).body.items.map((item) => item.metadata.name)).toEqual(["new"]);
  });
});
