import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import {
  forbidden,
  internal,
  StatusError,
  tooManyRequests,
} from "../../pkg/apiserver/server/status-error.ts";
import type { Transport } from "../../pkg/client/transport.ts";
import { lineOf } from "../../test/harness/controller-world.ts";
import {
  NAME,
  RUNNING,
  STATUS,
  WIDGETS,
  condition,
  createMaps,
  createWidgets,
  define,
  keepMigration,
  linesOf,
  messageOf,
  migrate,
  openWorld,
  refuse,
  start,
  statesOf,
  world,
} from "./migrations.test-data.ts";

const { configMaps, namespaces, storageVersionMigrations } = resources;

beforeEach(async () => openWorld());
afterEach(async () => world.stop());

describe("a migration", () => {
  // upstream: pkg/controller/storageversionmigrator/storageversionmigrator_test.go#TestSync, "Successful migration"
  test("runs, begins at a version, and applies nothing to each object that is older", async () => {
    await createMaps("a", "b");
    await start();
    world.takeWrites();
    await migrate("m");
    await world.run();
    const writes = world.takeWrites();
    expect(writes.map(lineOf)).toEqual([
      `${STATUS} m`,
      `${STATUS} m`,
      "patch configmaps a",
      "patch configmaps b",
      `${STATUS} m`,
      `${STATUS} m`,
    ]);
    expect(new Set(writes.map(({ actor }) => actor))).toEqual(new Set([NAME]));
    const { metadata } = await world.get(configMaps, "a");
    expect(writes[2]?.body).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        namespace: "default",
        name: "a",
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
      },
    });
    const { status } = await world.get(storageVersionMigrations, "m");
    expect(status).toEqual({
      resourceVersion: expect.stringMatching(/^\d+$/) as string,
      conditions: [
        { ...condition("Running", "False"), reason: "MigrationCompleted", message: "Migration completed" },
        { ...condition("Succeeded"), reason: "StorageVersionMigrationSucceeded" },
      ].map((each) => ({ ...each, lastTransitionTime: expect.any(String) as string })),
    });
  });

  test("leaves what is written after its beginning alone", async () => {
    await createMaps("a");
    const { metadata } = await world.get(configMaps, "a");
    await createMaps("b");
    keepMigration("m", { status: { conditions: RUNNING(), resourceVersion: metadata.resourceVersion } });
    await start();
    expect(linesOf().filter((line) => line.startsWith("patch"))).toEqual(["patch configmaps a"]);
  });

  test("reaches objects of all namespaces, and those of none", async () => {
    await world.create(namespaces, { metadata: { name: "other" } });
    await world.client.clientFor(configMaps).create({ metadata: { name: "a", namespace: "other" } });
    await start();
    await migrate("maps");
    await migrate("spaces", { group: "", resource: "namespaces" });
    await world.run();
    const patches = world.takeWrites().filter(({ verb }) => verb === "patch");
    expect(patches.map((write) => `${write.namespace}/${write.name}`).toSorted()).toEqual([
      "/default",
      "/other",
      "other/a",
    ]);
    expect([await statesOf("maps"), await statesOf("spaces")]).toEqual([
      "not Running, Succeeded",
      "not Running, Succeeded",
    ]);
  });

  test("reaches thousands of objects, page by page, though the pages expire", async () => {
    let pages = 0;
    await world.stop();
    const expiring = (server: Transport): Transport => ({
      send: async (request, signal) => {
        const isList = request.method === "GET" && request.path === "/api/v1/configmaps";
        if (isList && ++pages === 3) {
          world.keep(configMaps, { metadata: { name: "later" } });
          world.server.parts.store.compact();
        }
        return server.send(request, signal);
      },
      close: async () => server.close(),
    });
    await openWorld({ transport: expiring });
    const names = Array.from({ length: 1_200 }, (_, index) => `m${index}`);
    for (const name of names) world.keep(configMaps, { metadata: { name } });
    await start();
    await migrate("m");
    await world.run(60_000);
    const patched = linesOf().filter((line) => line.startsWith("patch"));
    // Two pages, one that has expired, and all in one piece.
    expect(pages).toBe(4);
    expect([patched.length, new Set(patched).size]).toEqual([1_200, 1_200]);
    expect(await statesOf("m")).toBe("not Running, Succeeded");
  });

  // upstream: #TestSync, "Conflict on patch is ignored"
  test("is not held up by what is changed, removed or replaced meanwhile", async () => {
    await createMaps("changed", "removed", "replaced", "same");
    await start();
    let meanwhile = false;
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "configmaps", name: "changed" },
      action: {
        kind: "interfere",
        run: async () => {
          if (meanwhile) return;
          meanwhile = true;
          await world.update(configMaps, "changed", (found) => ({ ...found, data: { a: "b" } }));
          await world.delete(configMaps, "removed");
          await world.delete(configMaps, "replaced");
          await createMaps("replaced");
        },
      },
    });
    await migrate("m");
    await world.run();
    const patches = world.takeWrites().filter(({ verb }) => verb === "patch");
    expect(patches.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "changed 409",
      "removed 409",
      "replaced 409",
      "same 200",
    ]);
    expect(await statesOf("m")).toBe("not Running, Succeeded");
    expect((await world.list(configMaps)).map(({ metadata }) => metadata.name)).not.toContain("removed");
  });

  // upstream: #TestSync, "Fatal patch error fails migration"
  test("fails with what the server has against an object", async () => {
    await createMaps("a", "b");
    await start();
    refuse(forbidden(configMaps, "a", "no way"), { verb: "patch", resource: "configmaps", name: "a" });
    await migrate("m");
    await world.run(60_000);
    expect(linesOf().filter((line) => line.startsWith("patch"))).toEqual(["patch configmaps a"]);
    expect(await statesOf("m")).toBe("not Running, Failed");
    expect(await messageOf("m")).toBe(
      'migration encountered unhandled error: configmaps "a" is forbidden: no way',
    );
  });

  // upstream: #TestSync, "Retriable patch error is returned directly"
  test.each<[string, StatusError]>([
    ["is busy", new StatusError(429, "TooManyRequests", "slow down")],
    ["is broken", internal("broken")],
    ["is not there", new StatusError(503, "ServiceUnavailable", "away")],
    ["takes too long", new StatusError(504, "Timeout", "slow")],
    ["cannot come to it", new StatusError(500, "ServerTimeout", "later")],
  ])("goes on where it was when the server %s", async (_, error) => {
    await createMaps("a", "b", "c");
    await start();
    refuse(error, { verb: "patch", resource: "configmaps", name: "b" }, 3);
    await migrate("m");
    await world.run(60_000);
    expect(linesOf().filter((line) => line.startsWith("patch"))).toEqual([
      "patch configmaps a",
      ...Array.from({ length: 4 }, () => "patch configmaps b"),
      "patch configmaps c",
    ]);
    expect(await statesOf("m")).toBe("not Running, Succeeded");
  });

  test("goes on when the connection breaks", async () => {
    await createMaps("a");
    await start();
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "configmaps" },
      action: { kind: "disconnect", when: "after" },
      times: 2,
    });
    await migrate("m");
    await world.run(60_000);
    expect(await statesOf("m")).toBe("not Running, Succeeded");
  });

  test("waits as long as the server asks for, though its client does not", async () => {
    await world.stop();
    // A client waits for the time in the header by itself.
    const withoutHeader = (server: Transport): Transport => ({
      send: async (request, signal) => {
        const response = await server.send(request, signal);
        if (response.status !== 429) return response;
        const { "retry-after": _, ...headers } = response.headers;
        const text = async (): Promise<string> => response.text();
        return { ...response, headers, text, json: async () => response.json() };
      },
      close: async () => server.close(),
    });
    await openWorld({ transport: withoutHeader });
    await createMaps("a");
    await start();
    const repair = refuse(tooManyRequests("slow down", 30, []), { verb: "patch", resource: "configmaps" });
    await migrate("m");
    await world.run(1_000);
    expect(linesOf().filter((line) => line.startsWith("patch"))).toEqual(["patch configmaps a"]);
    await world.run(25_000);
    expect(linesOf()).toEqual([]);
    repair();
    await world.run(10_000);
    expect(await statesOf("m")).toBe("not Running, Succeeded");
  });

  // upstream: #TestSync, "SVM already succeeded", "SVM not found"
  test.each(["Succeeded", "Failed"])("that has %s is let alone", async (state) => {
    await createMaps("a");
    const conditions = [condition("Running", "False"), condition(state)];
    keepMigration("m", { status: { conditions, resourceVersion: "5" } });
    await start();
    await world.run(60_000);
    expect(linesOf()).toEqual([]);
  });

  test("ends when it is deleted, and another one of its name begins anew", async () => {
    await createMaps("a", "b");
    await start();
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "configmaps", name: "a" },
      action: { kind: "latency", ms: 5_000 },
      times: 1,
    });
    await migrate("m");
    await world.run(1_000);
    await world.delete(storageVersionMigrations, "m");
    await world.run(10_000);
    expect(linesOf().filter((line) => line.startsWith("patch"))).toEqual(["patch configmaps a"]);
    await migrate("m");
    await world.run(10_000);
    expect(linesOf().filter((line) => line.startsWith("patch"))).toEqual([
      "patch configmaps a",
      "patch configmaps b",
    ]);
    expect(await statesOf("m")).toBe("not Running, Succeeded");
  });

  test("that takes the name of another one meanwhile begins at its beginning", async () => {
    await createMaps("a", "b");
    await start();
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "configmaps", name: "a" },
      action: { kind: "latency", ms: 5_000 },
      times: 1,
    });
    await migrate("m");
    await world.run(1_000);
    await world.delete(storageVersionMigrations, "m");
    await migrate("m");
    await world.run(10_000);
    expect(linesOf().filter((line) => line.startsWith("patch"))).toEqual([
      "patch configmaps a",
      "patch configmaps a",
      "patch configmaps b",
    ]);
    expect(await statesOf("m")).toBe("not Running, Succeeded");
  });

  test("that somebody labels meanwhile ends all the same, and begins nothing anew", async () => {
    await createMaps("a");
    await start();
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "configmaps" },
      action: { kind: "latency", ms: 5_000 },
      times: 1,
    });
    await migrate("m");
    await world.run(1_000);
    await world.update(storageVersionMigrations, "m", (found) => ({
      ...found,
      metadata: { ...found.metadata, labels: { a: "b" } },
    }));
    await world.run(10_000);
    expect(linesOf()).toEqual([
      `${STATUS} m`,
      `${STATUS} m`,
      "patch configmaps a",
      `${STATUS} m`,
      `${STATUS} m`,
    ]);
  });

  test("is tried again while objects cannot be listed", async () => {
    await createMaps("a");
    const { metadata } = await world.get(configMaps, "a");
    keepMigration("m", { status: { conditions: RUNNING(), resourceVersion: metadata.resourceVersion } });
    const repair = refuse(forbidden(configMaps, "", "no"), {
      verb: "list",
      resource: "configmaps",
      namespace: "",
    });
    await start();
    await world.run(10_000);
    expect(linesOf()).toEqual([]);
    repair();
    await world.run(60_000);
    expect(await statesOf("m")).toBe("not Running, Succeeded");
  });
});

describe("the version at which a migration begins", () => {
  // upstream: pkg/controller/storageversionmigrator/resourceversion_test.go#TestRVSync
  test.each<[string, () => object]>([
    ["is not running", () => ({ conditions: [condition("Running", "False")] })],
    ["has succeeded", () => ({ conditions: [condition("Running", "False"), condition("Succeeded")] })],
    ["has failed", () => ({ conditions: [condition("Running", "False"), condition("Failed")] })],
  ])("is not asked for one that %s", async (_, status) => {
    keepMigration("m", { status: status() });
    await start();
    expect(linesOf()).toEqual([]);
  });

  test("stays when it is known", async () => {
    const { metadata } = await world.get(namespaces, "default");
    const { resourceVersion } = metadata;
    await createMaps("a");
    keepMigration("m", { status: { conditions: RUNNING(), resourceVersion } });
    await start();
    expect((await world.get(storageVersionMigrations, "m")).status?.resourceVersion).toBe(resourceVersion);
    expect(linesOf()).toEqual([`${STATUS} m`, `${STATUS} m`]);
  });

  // upstream: "Resource not migratable"; #TestIsResourceMigratable
  test.each([
    ["", "bindings", "/v1, Resource=bindings"],
    [
      "authorization.k8s.io",
      "subjectaccessreviews",
      "authorization.k8s.io/v1, Resource=subjectaccessreviews",
    ],
    ["", "componentstatuses", "/v1, Resource=componentstatuses"],
  ])("is none of a resource that cannot be written or listed: %s %s", async (group, resource, name) => {
    await start();
    await migrate("m", { group, resource });
    await world.run();
    expect(await statesOf("m")).toBe("not Running, Failed");
    expect(await messageOf("m")).toBe(
      `resource "${name}" does not support discovery operations: [update patch list]`,
    );
  });

  // upstream: "Metadata list error"
  test("is asked for again when the server does not say", async () => {
    const repair = refuse(internal("no"), { verb: "list", resource: "configmaps" });
    await start();
    await migrate("m");
    await world.run(10_000);
    expect(await statesOf("m")).toBe("Running");
    repair();
    await world.run(60_000);
    expect(await statesOf("m")).toBe("not Running, Succeeded");
  });

  test("of a resource that the server does not serve is waited for, a minute long", async () => {
    await start();
    await migrate("m", WIDGETS);
    await world.run(55_000);
    expect(await statesOf("m")).toBe("Running");
    await world.run(120_000);
    expect(await statesOf("m")).toBe("not Running, Failed");
    expect(await messageOf("m")).toBe("resource does not exist in discovery");
  });

  // Upstream finds it after up to 41 seconds, or not at all.
  test("of a resource that has just come is found in time", async () => {
    await start();
    await migrate("first");
    await world.run(100);
    await define();
    await createWidgets("a");
    await migrate("m", WIDGETS);
    await world.run(21_000);
    expect(await statesOf("m")).toBe("not Running, Succeeded");
  });

  test("is written again when somebody is quicker", async () => {
    await start();
    let times = 0;
    world.server.parts.faults.add({
      target: { verb: "update", resource: "storageversionmigrations", subresource: "status" },
      action: {
        kind: "interfere",
        run: async () => {
          if (++times !== 2) return;
          await world.update(storageVersionMigrations, "m", (found) => ({
            ...found,
            metadata: { ...found.metadata, labels: { a: "b" } },
          }));
        },
      },
    });
    await migrate("m");
    await world.run();
    expect(await statesOf("m")).toBe("not Running, Succeeded");
  });
});

describe("a resource that is not served any more", () => {
  const GONE = { resource: WIDGETS, status: {} };
  // Upstream dereferences nothing there, and the whole program ends with it.
  test("ends a migration that has begun, and nothing else", async () => {
    keepMigration("m", { ...GONE, agoMs: 61_000, status: { conditions: RUNNING(), resourceVersion: "5" } });
    const health = await start();
    expect(await statesOf("m")).toBe("not Running, Failed");
    expect(await messageOf("m")).toBe(
      "migration encountered unhandled error: unable to obtain GVR from discovery",
    );
    const pools = Object.values(health.health().get(NAME)?.pools ?? {});
    expect(pools.map(({ workersAlive }) => workersAlive)).toEqual([5, 1, 1]);
  });

  test("is waited for when the migration is young", async () => {
    keepMigration("m", { ...GONE, agoMs: 30_000, status: { conditions: RUNNING(), resourceVersion: "5" } });
    await start();
    await world.run(20_000);
    expect([await statesOf("m"), linesOf()]).toEqual(["Running", []]);
    await world.run(120_000);
    expect(await statesOf("m")).toBe("not Running, Failed");
  });

  test("while its objects are written fails the migration", async () => {
    await define();
    await createWidgets("a");
    await start();
    refuse(new StatusError(404, "NotFound", "the server could not find the requested resource"), {
      verb: "patch",
      resource: "widgets",
    });
    await migrate("m", WIDGETS);
    await world.run();
    expect(await messageOf("m")).toBe(
      "migration encountered unhandled error: the server could not find the requested resource",
    );
  });
});

describe("what a server says of versions", () => {
  interface Lie {
    /** Of the list. */
    readonly version?: string;
    readonly versionOfItems?: string;
  }
  const withVersion = (object: unknown, resourceVersion: string | undefined): unknown => {
    const { metadata, ...rest } = object as { readonly metadata: object };
    return resourceVersion === undefined ? object : { ...rest, metadata: { ...metadata, resourceVersion } };
  };

  /** The lists of ConfigMaps as somebody else's server gives them. */
  async function begin(path: RegExp, { version, versionOfItems }: Lie): Promise<void> {
    const lying = (server: Transport): Transport => ({
      send: async (request, signal) => {
        const response = await server.send(request, signal);
        if (request.method !== "GET" || !path.test(request.path)) return response;
        return {
          ...response,
          json: async () => withVersion(await response.json(), version),
          items: async (onItem) => {
            const list = await response.items((item) => onItem(withVersion(item, versionOfItems)));
            return withVersion(list, version);
          },
        };
      },
      close: async () => server.close(),
    });
    await world.stop();
    await openWorld({ transport: lying });
    await createMaps("a");
    await start();
    world.takeWrites();
    await migrate("m");
    await world.run(20_000);
  }
  const OF_ALL = /^\/api\/v1\/configmaps$/;
  const OF_NAMESPACE = /^\/api\/v1\/namespaces\/[^/]+\/configmaps$/;

  // upstream: resourceversion_test.go#TestRVSync, "Invalid RV returned"
  test("fails a migration that would begin nowhere", async () => {
    await begin(OF_NAMESPACE, { version: "abcde" });
    expect(await statesOf("m")).toBe("not Running, Failed");
    expect(await messageOf("m")).toBe(
      "latest resourceVersion for /v1, Resource=configmaps is not valid: resource version is not well formed: abcde",
    );
  });

  // upstream: storageversionmigrator_test.go#TestSync, "GC cache is not up to date"
  test("holds up a migration while the list is older than its beginning", async () => {
    await begin(OF_ALL, { version: "1" });
    expect(await statesOf("m")).toBe("Running");
    expect(linesOf()).toEqual([`${STATUS} m`, `${STATUS} m`]);
  });

  // upstream: #TestSync, "Incomparable resource version for gc fails migration"
  test("fails a migration whose list has no version", async () => {
    await begin(OF_ALL, { version: "abc" });
    expect(await messageOf("m")).toBe(
      "migration encountered unhandled error: error comparing resource versions between GC and SVM resource: resource version is not well formed: abc",
    );
  });

  // upstream: #TestSync, "Incomparable resource version for object fails migration"
  test("fails a migration of objects without versions", async () => {
    await begin(OF_ALL, { versionOfItems: "abc" });
    expect(await messageOf("m")).toBe(
      "migration encountered unhandled error: resource version is not well formed: abc",
    );
    expect(linesOf().filter((line) => line.startsWith("patch"))).toEqual([]);
  });
});
