import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resourcePath } from "../../../../pkg/api/resource.ts";
import { resourceOfKind, resources } from "../../../../pkg/api/resources.ts";
import { seededRandom } from "../../../../pkg/clock/random.ts";
import { builtInAdmission } from "../../../../pkg/apiserver/admission/built-in-admission.ts";
import { allKinds } from "../../../../pkg/apiserver/kinds/all-kinds.ts";
import { ApiServer } from "../../../../pkg/apiserver/server/api-server.ts";
import { Store } from "../../../../pkg/apiserver/storage/store.ts";
import { startRealCluster, type RealCluster } from "../../../harness/real-cluster.ts";
import { VirtualClock } from "../../../../pkg/testing/virtual-clock.ts";
import { cases, type CorpusCase } from "./corpus-case.ts";
import { comparable } from "./our-column.ts";
import { podCases } from "./pods.ts";
import { RealColumn } from "./real-column.ts";

const ports = [{ port: 80 }, { name: "b", port: 81, targetPort: "web", protocol: "UDP" }];
const named = ports.map((port, index) => ({ name: `p${index}`, ...port }));

/** Objects that admission adds to. */
const admitted: readonly CorpusCase[] = [
  ...podCases.filter(({ valid, name }) => valid && !name.includes("service account")),
  ...cases("v1", "Service", {
    "cluster address": { spec: { ports: named, selector: { a: "b" } } },
    "node port": { spec: { ports: named, type: "NodePort" } },
    "load balancer": { spec: { ports: named, type: "LoadBalancer" } },
    "load balancer without node ports": {
      spec: { ports: named, type: "LoadBalancer", allocateLoadBalancerNodePorts: false },
    },
    headless: { spec: { clusterIP: "None", selector: { a: "b" } } },
    "session affinity": { spec: { ports: [{ port: 1 }], sessionAffinity: "ClientIP" } },
    "external address": { spec: { ports: [{ port: 1 }], externalIPs: ["1.2.3.4"] } },
  }),
  ...cases("v1", "PersistentVolumeClaim", {
    "default class": {
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  }),
  ...cases("v1", "Node", { minimal: {} }),
];

/** Masks what is chosen at random or counted up: volume names, addresses, ports. */
function masked(object: Record<string, unknown>): unknown {
  const text = JSON.stringify(comparable(object))
    .replaceAll(/kube-api-access-[a-z0-9]{5}/g, "kube-api-access")
    .replaceAll(/"10\.0\.\d+\.\d+"/g, '"address"')
    .replaceAll(/"nodePort":\d+/g, '"nodePort":1');
  return JSON.parse(text) as unknown;
}

describe("admission adds what a real API server adds", () => {
  let cluster: RealCluster;
  let column: RealColumn;
  let server: ApiServer;

  async function ours(method: string, path: string, value: object): Promise<Record<string, unknown>> {
    const request = { method, path, query: new URLSearchParams(), headers: {}, body: { value } };
    const { body } = await server.handle(request);
    if (body.kind !== "object") throw new Error(`no object but ${body.kind}`);
    return body.value;
  }

  beforeAll(async () => {
    cluster = await startRealCluster();
    column = new RealColumn(cluster);
    const clock = new VirtualClock();
    const random = seededRandom(1);
    const store = new Store({ clock });
    const admission = builtInAdmission({ store, clock, random, serviceCidr: "10.0.0.0/16" });
    server = new ApiServer({ clock, random, store, admission, kinds: allKinds });
    await ours("POST", "/api/v1/namespaces", { metadata: { name: "default" } });
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
    const storageClass = {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "fast", annotations },
      provisioner: "p",
    };
    await ours("POST", resourcePath(resources.serviceAccounts, "default"), account);
    await ours("POST", resourcePath(resources.storageClasses), storageClass);
    await column.create(resources.serviceAccounts, account);
    await column.create(resources.storageClasses, storageClass);
  }, 90_000);

  afterAll(async () => {
    column.close();
    await cluster.stop();
  });

  test.each(admitted.map((one) => [one.name, one] as const))("%s", async (_name, { object }) => {
    const resource = resourceOfKind(object.apiVersion, object.kind);
    if (resource === undefined) throw new Error(`no resource for ${object.kind}`);
    const theirs = await column.create(resource, object);
    expect(theirs.code, JSON.stringify(theirs.body)).toBe(201);
    const path = resourcePath(resource, resource.namespaced ? "default" : undefined);
    expect(masked(await ours("POST", path, object))).toEqual(masked(theirs.body));
  });
});
