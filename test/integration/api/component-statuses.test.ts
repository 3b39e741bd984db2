import { expect, test } from "vitest";
import { describeApi } from "./api-client.ts";

describeApi("component statuses", (api) => {
  const path = "/api/v1/componentstatuses";
  const ok = {
    metadata: { name: "etcd-0" },
    conditions: [{ type: "Healthy", status: "True", message: "ok" }],
  };

  test("the storage is well; what does not run is not", async () => {
    const { status, body, headers } = await api().get(path);
    expect([status, body.kind]).toEqual([200, "ComponentStatusList"]);
    expect(String(headers["warning"])).toContain("v1 ComponentStatus is deprecated in v1.19+");
    const healths = body.items.map(({ metadata, ...rest }) => {
      const [condition] = rest["conditions"] as readonly Readonly<Record<string, string>>[];
      return `${metadata.name} ${condition?.["type"]} ${condition?.["status"]}`;
    });
    expect(healths.toSorted()).toEqual([
      "controller-manager Healthy False",
      "etcd-0 Healthy True",
      "scheduler Healthy False",
    ]);
    expect(body.items).toContainEqual(ok);
  });

  test("one of them, and none", async () => {
    const found = await api().get(`${path}/etcd-0`);
    expect([found.status, found.body]).toMatchObject([200, { kind: "ComponentStatus", ...ok }]);
    const missing = await api().get(`${path}/nope`);
    expect([missing.status, missing.body.message]).toEqual([404, 'componentstatus "nope" not found']);
    expect((await api().send("POST", path, {})).status).toBe(405);
  });

  test("a table of them", async () => {
    const { body } = await api().get(`${path}/etcd-0`, {
      accept: "application/json;as=Table;g=meta.k8s.io;v=v1",
    });
    const columns = body["columnDefinitions"] as readonly { readonly name: string }[];
    expect(columns.map(({ name }) => name)).toEqual(["Name", "Status", "Message", "Error"]);
    expect(body["rows"]).toMatchObject([{ cells: ["etcd-0", "Healthy", "ok", ""] }]);
  });
});
