import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiObject, keyOf } from "../../pkg/api/object.ts";
import { ByteCache } from "../../pkg/api/protobuf/byte-cache.ts";
import type { FieldMask, WantedFields } from "../../pkg/api/protobuf/message-plan.ts";
import { apiVersionOf, groupResource, type Resource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import { definition, definitionOf } from "../../pkg/api/schema.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { ApiError } from "../../pkg/client/errors.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { MINIMAL_OBJECTS } from "./minimal-objects.ts";

let cluster: RealCluster;
let clients: ClientBuilder;
let client: ClientSet;
const cache = new ByteCache();

const withLongNumbers = {
  metadata: { name: "numbers", namespace: "default" },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: "numbers" } },
    template: {
      metadata: { labels: { app: "numbers" } },
      spec: {
        containers: [{ name: "c", image: "i" }],
        terminationGracePeriodSeconds: 9223372036854775807n,
        tolerations: [
          { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: -9223372036854775808n },
          { key: "b", operator: "Exists", effect: "NoExecute", tolerationSeconds: 9007199254740993n },
          { key: "c", operator: "Exists", effect: "NoExecute", tolerationSeconds: 9007199254740991 },
          { key: "d", operator: "Exists", effect: "NoExecute", tolerationSeconds: -1 },
        ],
      },
    },
  },
};

/** All fields but managedFields, by name: what allows for protobuf. */
function everyField({ group, version, kind }: Resource): WantedFields {
  const known = definitionOf(apiVersionOf({ group, version }), kind);
  if (known === undefined) throw new Error(`there is no definition of ${kind}`);
  const metadata = new Map(
    [...definition("meta.v1.ObjectMeta").fields.keys()].map((name) => [name, undefined]),
  );
  metadata.delete("managedFields");
  return wanted(
    new Map([...known.fields.keys()].map((name) => [name, name === "metadata" ? metadata : undefined])),
  );
}

function wanted(mask: FieldMask): WantedFields {
  return { mask, cache };
}

/** What a watch sends at its beginning, by key. */
async function initialObjects(
  resource: Resource,
  from: "dynamic" | "metadata",
  fields?: WantedFields,
): Promise<ReadonlyMap<string, ApiObject>> {
  const found = new Map<string, ApiObject>();
  const options = {
    sendInitialEvents: true,
    allowWatchBookmarks: true,
    ...(fields !== undefined && { fields }),
  };
  for await (const { object } of client[from](resource).watch(options)) {
    if (object.metadata.annotations?.["k8s.io/initial-events-end"] === "true") break;
    const { managedFields: _, ...metadata } = object.metadata;
    found.set(keyOf(object), { ...object, metadata });
  }
  return found;
}

// The embedded server speaks JSON alone.
describe("watches in protobuf", () => {
  beforeAll(async () => {
    cluster = await startRealCluster({ apiServerFlags: ["--disable-admission-plugins=ServiceAccount"] });
    clients = await clientsOf(cluster.kubeconfig);
    client = clients.client("test");
    for (const [resource, object] of MINIMAL_OBJECTS) await client.dynamic(resource).create(object);
    await client.clientFor(resources.replicaSets).create(withLongNumbers);
    const status = {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-15T09:30:00Z" }],
      containerStatuses: [
        { name: "main", image: "", imageID: "", ready: false, restartCount: 0, started: false, state: {} },
      ],
    };
    const pod = { namespace: "default", name: "minimal" };
    const body = { status };
    await client.dynamic(resources.pods).patch(pod, { type: "merge", body }, { subresource: "status" });
  }, 60_000);

  afterAll(async () => {
    await clients?.close();
    await cluster?.stop();
  });

  const kinds = [...new Set([...MINIMAL_OBJECTS.map(([resource]) => resource), resources.clusterRoles])];

  test.each(kinds.map((resource) => [groupResource(resource), resource] as const))(
    "objects of %s are those that JSON gives",
    async (_, resource) => {
      const fromJson = await initialObjects(resource, "dynamic");
      const fromProtobuf = await initialObjects(resource, "dynamic", everyField(resource));
      expect(fromJson.size).toBeGreaterThan(0);
      expect(fromProtobuf).toEqual(fromJson);
    },
  );

  test("numbers of 64 bits are exact", async () => {
    const found = await initialObjects(resources.replicaSets, "dynamic", everyField(resources.replicaSets));
    expect(found.get("default/numbers")).toMatchObject({ spec: { template: withLongNumbers.spec.template } });
  });

  test("metadata are those that JSON gives", async () => {
    const fields = everyField(resources.pods);
    const fromProtobuf = await initialObjects(resources.pods, "metadata", fields);
    expect(fromProtobuf.get("default/minimal")?.kind).toBe("PartialObjectMetadata");
    expect(fromProtobuf).toEqual(await initialObjects(resources.pods, "metadata"));
  });

  test("fields that are not asked for are left out", async () => {
    const mask = new Map<string, FieldMask>([
      ["metadata", new Map([["name", undefined]])],
      ["status", new Map([["conditions", new Map([["type", undefined]])]])],
    ]);
    const [pod] = (await initialObjects(resources.pods, "dynamic", wanted(mask))).values();
    expect(pod).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "minimal" },
      status: { conditions: [{ type: "Ready" }] },
    });
  });

  test("a refusal, too, is understood", async () => {
    const refusal = async (fields?: WantedFields): Promise<unknown> => {
      const watch = client
        .dynamic(resources.pods)
        .watch({ labelSelector: "a in", ...(fields !== undefined && { fields }) });
      return watch[Symbol.asyncIterator]()
        .next()
        .catch((error: unknown) => error);
    };
    const failure = await refusal(wanted(new Map()));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ code: 400, reason: "BadRequest" });
    expect(failure).toEqual(await refusal());
  });
});
