import { beforeAll, describe, expect, test } from "vitest";
import { until } from "../../harness/until.ts";
import { describeApi } from "./api-client.ts";

describeApi("quotas, evictions and namespaces that stay", (api) => {
  let home = "";
  beforeAll(async () => {
    home = `/api/v1/namespaces/${await api().namespace()}`;
  });

  test.each(["default", "kube-system", "kube-public"])("the namespace %s stays", async (name) => {
    const refused = await api().send("DELETE", `/api/v1/namespaces/${name}?dryRun=All`);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    ]);
  });

  test("a quota is charged for what is made, not for what is only tried, and not for what is refused", async () => {
    const path = `${home}/configmaps`;
    // Somebody else has made one here, on a whole cluster.
    const used = (await api().get(path)).body.items.length;
    const hard = { configmaps: String(used + 2) };
    await api().send("POST", `${home}/resourcequotas`, { metadata: { name: "q" }, spec: { hard } });
    const status = { hard, used: { configmaps: String(used) } };
    await api().patch(`${home}/resourcequotas/q/status`, "merge", { status });
    const charged = async (): Promise<unknown> => (await api().get(`${home}/resourcequotas/q`)).body.status;
    await until("the quota is heeded", async () => {
      const { status: code } = await api().send("POST", `${path}?dryRun=All`, { metadata: { name: "a" } });
      return code === 201;
    });
    expect(await charged()).toEqual(status);
    for (const name of ["a", "b"]) {
      expect((await api().send("POST", path, { metadata: { name } })).status).toBe(201);
    }
    const full = { hard, used: { configmaps: hard.configmaps } };
    expect(await charged()).toEqual(full);
    for (const query of ["", "?dryRun=All"]) {
      const refused = await api().send("POST", path + query, { metadata: { name: "c" } });
      expect([refused.status, refused.body.message]).toEqual([
        403,
        `configmaps "c" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=${hard.configmaps}, limited: configmaps=${hard.configmaps}`,
      ]);
    }
    expect(await charged()).toEqual(full);
  });

  describe("an eviction", () => {
    let pods = "";
    const eviction = (name: string, deleteOptions?: object) => ({
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name },
      ...(deleteOptions === undefined ? {} : { deleteOptions }),
    });
    beforeAll(async () => {
      pods = `/api/v1/namespaces/${await api().namespace()}/pods`;
      const spec = {
        nodeName: "n",
        automountServiceAccountToken: false,
        containers: [{ name: "c", image: "i" }],
      };
      await api().send("POST", pods, { metadata: { name: "p" }, spec });
      const conditions = [{ type: "Ready", status: "True" }];
      await api().patch(`${pods}/p/status`, "merge", { status: { phase: "Running", conditions } });
    });

    test.each([
      ["by the query", "?dryRun=All", undefined],
      ["by its options", "", { dryRun: ["All"] }],
    ])("that is only tried, %s, leaves the pod alone", async (_, query, options) => {
      const before = (await api().get(`${pods}/p`)).body;
      const tried = await api().send("POST", `${pods}/p/eviction${query}`, eviction("p", options));
      expect([tried.status, tried.body.status]).toEqual([201, "Success"]);
      expect((await api().get(`${pods}/p`)).body).toEqual(before);
    });

    test("that is said to be only tried in two ways is refused, but where they are the same", async () => {
      const tried = async (query: string, dryRun: readonly string[]) =>
        api().send("POST", `${pods}/p/eviction${query}`, eviction("p", { dryRun }));
      expect((await tried("?dryRun=All", ["All"])).status).toBe(201);
      const refused = await tried("?dryRun=All", ["All", "All"]);
      expect(refused.body).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "Non-matching dry-run options in request and content: [All] and [All All]",
        code: 500,
      });
    });

    test("of another pod, or of none, is refused", async () => {
      const { uid } = (await api().get(`${pods}/p`)).body.metadata;
      const refused = await api().send(
        "POST",
        `${pods}/p/eviction`,
        eviction("p", { preconditions: { uid: "x" } }),
      );
      expect([refused.status, refused.body.message]).toEqual([
        409,
        `Operation cannot be fulfilled on Pod "p": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      ]);
      const other = await api().send("POST", `${pods}/p/eviction`, eviction("q"));
      expect([other.status, other.body.message]).toEqual([
        400,
        "name in URL does not match name in Eviction object",
      ]);
      const none = await api().send("POST", `${pods}/q/eviction`, eviction("q"));
      expect([none.status, none.body.message]).toEqual([404, 'pods "q" not found']);
      expect((await api().get(`${pods}/p`)).body.metadata.deletionTimestamp).toBeUndefined();
    });

    test("of a pod with no identity says so in its status, and then does not delete it", async () => {
      const { uid } = (await api().get(`${pods}/p`)).body.metadata;
      const preconditions = { uid: "", resourceVersion: "" };
      const refused = await api().send("POST", `${pods}/p/eviction`, eviction("p", { preconditions }));
      expect([refused.status, refused.body.message]).toEqual([
        409,
        `Operation cannot be fulfilled on Pod "p": the UID in the precondition () does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      ]);
      const { metadata, status } = (await api().get(`${pods}/p`)).body;
      expect(metadata.deletionTimestamp).toBeUndefined();
      expect(JSON.stringify(status)).toContain("EvictionByEvictionAPI");
    });

    test("says so where the pod said otherwise", async () => {
      const spec = {
        nodeName: "n",
        automountServiceAccountToken: false,
        containers: [{ name: "c", image: "i" }],
      };
      await api().send("POST", pods, { metadata: { name: "e" }, spec });
      const conditions = [
        { type: "DisruptionTarget", status: "False" },
        { type: "Ready", status: "True" },
      ];
      await api().patch(`${pods}/e/status`, "merge", { status: { phase: "Running", conditions } });
      expect((await api().send("POST", `${pods}/e/eviction`, eviction("e"))).status).toBe(201);
      const { status, metadata } = (await api().get(`${pods}/e`)).body;
      expect(metadata.deletionTimestamp).toBeDefined();
      expect(status).toMatchObject({
        conditions: [
          { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", lastProbeTime: null },
          { type: "Ready", status: "True" },
        ],
      });
    });
  });
});
