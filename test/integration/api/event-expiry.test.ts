import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { servers, type TestServer } from "../../harness/servers.ts";
import { until } from "../../harness/until.ts";
import { ApiClient } from "./api-client.ts";

describe.each(servers)("Events that live for five seconds ($name)", (kind) => {
  let server: TestServer;
  let api: ApiClient;
  beforeAll(async () => {
    server = await kind.start(["--event-ttl=5s"]);
    api = new ApiClient(server, "event-expiry");
  });
  afterAll(async () => server.stop());

  test("go, and their watchers see them deleted; a write lets them live on", async () => {
    const namespace = await api.namespace();
    const path = `/api/v1/namespaces/${namespace}/events`;
    const event = (name: string) => ({
      metadata: { name, namespace },
      involvedObject: { namespace, kind: "Pod", name: "p" },
      reason: "Tested",
    });
    const made = await api.send("POST", path, event("short"));
    await api.send("POST", path, event("long"));
    let writes = 0;
    await until("the short one is gone", async () => {
      const written = await api.patch(`${path}/long`, "merge", { count: ++writes });
      expect(written.status).toBe(200);
      return (await api.get(`${path}/short`)).status === 404;
    });
    expect((await api.get(`${path}/long`)).body["count"]).toBe(writes);
    await until("the long one is gone", async () => (await api.get(`${path}/long`)).status === 404);
    const since = `watch=1&timeoutSeconds=10&resourceVersion=${made.body.metadata.resourceVersion}`;
    // The other's creation, its changes, and both ends.
    const seen = await api.watch(`${path}?${since}`, writes + 3);
    const deleted = seen.filter(({ type }) => type === "DELETED").map(({ object }) => object);
    expect(deleted.map(({ metadata }) => metadata.name)).toEqual(["short", "long"]);
    expect(deleted[0]).toMatchObject({ reason: "Tested" });
    expect(Number(deleted[0]?.metadata.resourceVersion)).toBeGreaterThan(
      Number(made.body.metadata.resourceVersion),
    );
  });
});
