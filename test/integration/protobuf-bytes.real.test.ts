import { request } from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiObject } from "../../pkg/api/object.ts";
import { decodeProtobufObject, PROTOBUF_TYPE } from "../../pkg/api/protobuf/decode.ts";
import {
  encodeProtobufEvent,
  encodeProtobufItem,
  encodeProtobufList,
  encodeProtobufObject,
} from "../../pkg/api/protobuf/encode.ts";
import { groupResource, type Resource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import { parseJsonBytes } from "../../pkg/api/wire-json.ts";
import type { ListBody, WatchFrame } from "../../pkg/apiserver/server/request.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { getRequest } from "../../pkg/client/resource-requests.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { MINIMAL_OBJECTS } from "./minimal-objects.ts";

let cluster: RealCluster;
let clients: ClientBuilder;
let client: ClientSet;

async function get(path: string, accept: string): Promise<Buffer> {
  const { admin, ca, url } = cluster;
  return new Promise((resolve, reject) => {
    const options = { ca, ...admin, headers: { accept } };
    const sent = request(`${url}${path}`, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => resolve(Buffer.concat(chunks)));
    });
    sent.on("error", reject).end();
  });
}

/** More than zeros: of each sort of field that there is, some. */
const fuller: readonly (readonly [Resource, object])[] = [
  [
    resources.configMaps,
    {
      metadata: {
        name: "full",
        namespace: "default",
        labels: { b: "2", a: "1" },
        annotations: { z: "", "example.com/a": "ü\u{1f600}" },
        ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u", blockOwnerDeletion: false }],
        finalizers: ["example.com/one", "example.com/two"],
      },
      data: { b: "", a: "text", c: "\n" },
      binaryData: { x: "AP8=", w: "" },
      immutable: false,
    },
  ],
  [
    resources.replicaSets,
    {
      metadata: { name: "full", namespace: "default" },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: "full" }, matchExpressions: [{ key: "app", operator: "Exists" }] },
        template: {
          metadata: { labels: { app: "full" } },
          spec: {
            terminationGracePeriodSeconds: 9223372036854775807n,
            tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: -1 }],
            volumes: [
              {
                name: "secret",
                secret: { secretName: "s", defaultMode: 420, items: [{ key: "k", path: "p" }] },
              },
              { name: "host", hostPath: { path: "/", type: "" } },
              { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
              {
                name: "projected",
                projected: {
                  sources: [
                    {
                      downwardAPI: {
                        items: [
                          {
                            path: "a",
                            resourceFieldRef: { containerName: "c", resource: "limits.cpu", divisor: "1m" },
                          },
                        ],
                      },
                    },
                  ],
                },
              },
            ],
            containers: [
              {
                name: "c",
                image: "i",
                command: ["a", ""],
                ports: [{ containerPort: 80, hostPort: 0 }],
                resources: { limits: { memory: "1.5Gi", cpu: "500m" }, requests: { cpu: "0.1" } },
                env: [
                  { name: "E", value: "" },
                  { name: "F", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
                ],
                livenessProbe: { httpGet: { port: "web", path: "/" }, periodSeconds: 3 },
                readinessProbe: { tcpSocket: { port: 8080 } },
                startupProbe: { exec: { command: ["x"] } },
                securityContext: { runAsUser: 0, privileged: false, capabilities: { drop: ["ALL"] } },
              },
            ],
          },
        },
      },
    },
  ],
  [
    resources.customResourceDefinitions,
    {
      metadata: { name: "fulls.example.com" },
      spec: {
        group: "example.com",
        names: { plural: "fulls", kind: "Full" },
        scope: "Namespaced",
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  n: { type: "number", minimum: 0, maximum: 1.5, default: 0 },
                  list: { type: "array", items: { type: "string", enum: ["a", ""] }, maxItems: 0 },
                  map: { type: "object", additionalProperties: { type: "integer" } },
                  any: {
                    type: "object",
                    "x-kubernetes-preserve-unknown-fields": true,
                    default: { a: [1, null] },
                  },
                },
              },
            },
          },
        ],
      },
    },
  ],
];

describe("objects as the server writes them in protobuf", () => {
  beforeAll(async () => {
    cluster = await startRealCluster({ apiServerFlags: ["--disable-admission-plugins=ServiceAccount"] });
    clients = await clientsOf(cluster.kubeconfig);
    client = clients.client("test");
    for (const [resource, object] of MINIMAL_OBJECTS) await client.dynamic(resource).create(object);
    for (const [resource, object] of fuller) await client.dynamic(resource).create(object as ApiObject);
  }, 60_000);

  afterAll(async () => {
    await clients?.close();
    await cluster?.stop();
  });

  test.each([...MINIMAL_OBJECTS, ...fuller].map((one) => [groupResource(one[0]), ...one] as const))(
    "%s",
    async (_, resource, object) => {
      const { path } = getRequest(resource, (object as ApiObject).metadata as { name: string }, {});
      const json = parseJsonBytes(await get(path, "application/json")) as ApiObject;
      const bytes = await get(path, PROTOBUF_TYPE);
      expect(json.metadata.uid).toBeDefined();
      const written = encodeProtobufObject(json);
      expect(decodeProtobufObject(written)).toEqual(decodeProtobufObject(bytes));
      expect(written.toString("latin1")).toBe(bytes.toString("latin1"));
    },
  );

  const path = "/api/v1/namespaces/default/configmaps";

  test("lists", async () => {
    const list = parseJsonBytes(await get(path, "application/json")) as ListBody;
    const items = list.items.map((item) => encodeProtobufItem(item, { apiVersion: "v1", kind: "ConfigMap" }));
    const { before, after } = encodeProtobufList(list, Buffer.concat(items).length);
    const written = Buffer.concat([before, ...items, after]);
    expect(items.length).toBeGreaterThan(1);
    expect(written.toString("latin1")).toBe((await get(path, PROTOBUF_TYPE)).toString("latin1"));
  });

  test("events of watches", async () => {
    const watch = `${path}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dfull`;
    const bytes = await get(watch, `${PROTOBUF_TYPE};stream=watch`);
    const { type, object } = parseJsonBytes(await get(watch, "application/json")) as WatchFrame;
    const event = encodeProtobufEvent(type, object);
    expect(bytes.readUInt32BE(0)).toBe(event.length);
    expect(bytes.subarray(4).toString("latin1")).toBe(event.toString("latin1"));
  });
});
