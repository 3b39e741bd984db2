import { beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { seededRandom } from "../../clock/random.ts";
import { allKinds } from "../kinds/all-kinds.ts";
import { ApiServer } from "../server/api-server.ts";
import { Store } from "../storage/store.ts";
import { builtInAdmission } from "./built-in-admission.ts";

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

let server: ApiServer;

async function send(method: string, path: string, body?: object): Promise<Answer> {
  const response = await server.handle({
    method,
    path,
    query: new URLSearchParams(),
    headers: method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {},
    ...(body === undefined ? {} : { body: { value: body } }),
  });
  if (response.body.kind !== "object") throw new Error(`no object but ${response.body.kind}`);
  return { status: response.status, body: structuredClone(response.body.value) as Answer["body"] };
}

/** The value at a path of keys and indexes. */
function at(body: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);
}

const core = "/api/v1/namespaces/default";
const create = async (path: string, body: object): Promise<Answer> => send("POST", path, body);
const named = (name: string, rest: object = {}): object => ({ metadata: { name }, ...rest });
const podSpec = { containers: [{ name: "app", image: "x:1" }] };

beforeEach(async () => {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const store = new Store({ clock });
  const admission = builtInAdmission({ store, clock, random, serviceCidr: "10.0.0.0/24" });
  server = new ApiServer({ clock, random, store, admission, kinds: allKinds });
  await create("/api/v1/namespaces", named("default"));
  await create(`${core}/serviceaccounts`, named("default"));
});

describe("namespaces", () => {
  test("nothing is created in a namespace that is not there", async () => {
    const { status, body } = await create("/api/v1/namespaces/none/configmaps", named("c"));
    expect([status, body["message"]]).toEqual([404, 'namespaces "none" not found']);
  });

  test("nothing is created in a namespace that is going", async () => {
    await create("/api/v1/namespaces", named("going"));
    await send("DELETE", "/api/v1/namespaces/going");
    const { status, body } = await create("/api/v1/namespaces/going/configmaps", named("c"));
    expect(status).toBe(403);
    expect(body["message"]).toBe(
      'configmaps "c" is forbidden: unable to create new content in namespace going because it is being terminated',
    );
    expect(at(body, "details.causes.0.reason")).toBe("NamespaceTerminating");
  });

  test("the default namespace stays", async () => {
    const { status, body } = await send("DELETE", "/api/v1/namespaces/default");
    expect([status, body["message"]]).toEqual([
      403,
      'namespaces "default" is forbidden: this namespace may not be deleted',
    ]);
  });
});

describe("pods", () => {
  test("get an account, its token, tolerations and a priority", async () => {
    const { status, body } = await create(`${core}/pods`, named("p", { spec: podSpec }));
    expect(status).toBe(201);
    expect(at(body, "spec.serviceAccountName")).toBe("default");
    const volume = at(body, "spec.volumes.0.name");
    expect(volume).toMatch(/^kube-api-access-.{5}$/);
    expect(at(body, "spec.volumes.0.projected.sources.0.serviceAccountToken")).toEqual({
      expirationSeconds: 3607,
      path: "token",
    });
    expect(at(body, "spec.containers.0.volumeMounts")).toEqual([
      { name: volume, readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" },
    ]);
    expect(at(body, "spec.tolerations")).toMatchObject([
      { key: "node.kubernetes.io/not-ready", tolerationSeconds: 300 },
      { key: "node.kubernetes.io/unreachable", tolerationSeconds: 300 },
    ]);
    expect([at(body, "spec.priority"), at(body, "spec.preemptionPolicy")]).toEqual([
      0,
      "PreemptLowerPriority",
    ]);
  });

  test("need an account that exists", async () => {
    const spec = { ...podSpec, serviceAccountName: "nobody" };
    const { status, body } = await create(`${core}/pods`, named("p", { spec }));
    expect(status).toBe(403);
    expect(body["message"]).toBe(
      'pods "p" is forbidden: error looking up service account default/nobody: serviceaccount "nobody" not found',
    );
  });

  test("take their priority from the class, and cannot make one up", async () => {
    await create("/apis/scheduling.k8s.io/v1/priorityclasses", named("high", { value: 10 }));
    const high = { ...podSpec, priorityClassName: "high" };
    const { body } = await create(`${core}/pods`, named("a", { spec: high }));
    expect(at(body, "spec.priority")).toBe(10);
    const wrong = await create(`${core}/pods`, named("b", { spec: { ...high, priority: 11 } }));
    expect(wrong.status).toBe(403);
    const unknown = { ...podSpec, priorityClassName: "none" };
    expect((await create(`${core}/pods`, named("c", { spec: unknown }))).body["message"]).toBe(
      'pods "c" is forbidden: no PriorityClass with name none was found',
    );
  });

  test("without a token where the account says so", async () => {
    await create(`${core}/serviceaccounts`, named("quiet", { automountServiceAccountToken: false }));
    const spec = { ...podSpec, serviceAccountName: "quiet" };
    const { body } = await create(`${core}/pods`, named("p", { spec }));
    expect(at(body, "spec.volumes")).toBeUndefined();
  });
});

describe("limits and quotas", () => {
  test("containers get the defaults of the namespace and stay in its bounds", async () => {
    const limits = [
      { type: "Container", default: { cpu: "200m" }, defaultRequest: { cpu: "100m" }, max: { cpu: "1" } },
    ];
    await create(`${core}/limitranges`, named("l", { spec: { limits } }));
    const { body } = await create(`${core}/pods`, named("p", { spec: podSpec }));
    expect(at(body, "spec.containers.0.resources")).toEqual({
      limits: { cpu: "200m" },
      requests: { cpu: "100m" },
    });
    const greedy = { containers: [{ name: "app", image: "x:1", resources: { limits: { cpu: "2" } } }] };
    const refused = await create(`${core}/pods`, named("q", { spec: greedy }));
    expect(refused.body["message"]).toContain("maximum cpu usage per Container is 1, but limit is 2");
  });

  async function quota(hard: Record<string, string>): Promise<void> {
    await create(`${core}/resourcequotas`, named("q", { spec: { hard } }));
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
    await send("PATCH", `${core}/resourcequotas/q/status`, { status: { hard, used } });
  }

  test("a quota is used up and then refuses", async () => {
    await quota({ pods: "1" });
    expect((await create(`${core}/pods`, named("a", { spec: podSpec }))).status).toBe(201);
    expect(at((await send("GET", `${core}/resourcequotas/q`)).body, "status.used")).toEqual({ pods: "1" });
    const refused = await create(`${core}/pods`, named("b", { spec: podSpec }));
    expect(refused.status).toBe(403);
    expect(refused.body["message"]).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    );
  });

  test("where cpu is limited, containers must ask for it", async () => {
    await quota({ "requests.cpu": "1" });
    const refused = await create(`${core}/pods`, named("b", { spec: podSpec }));
    expect(refused.body["message"]).toBe(
      'pods "b" is forbidden: failed quota: q: must specify requests.cpu for: app',
    );
  });

  test("a quota that nobody has counted yet refuses", async () => {
    await create(`${core}/resourcequotas`, named("q", { spec: { hard: { configmaps: "5" } } }));
    await send("PATCH", `${core}/resourcequotas/q/status`, { status: { hard: { configmaps: "5" } } });
    const refused = await create(`${core}/configmaps`, named("c"));
    expect(refused.body["message"]).toBe(
      'configmaps "c" is forbidden: status unknown for quota: q, resources: configmaps',
    );
  });

  test("objects of any kind are counted", async () => {
    await quota({ "count/deployments.apps": "0" });
    const labels = { a: "b" };
    const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } };
    const refused = await create("/apis/apps/v1/namespaces/default/deployments", named("d", { spec }));
    expect(refused.body["message"]).toContain("exceeded quota: q, requested: count/deployments.apps=1");
  });
});

describe("services", () => {
  const ports = [{ port: 80 }];

  test("get different addresses of the range", async () => {
    const addresses = new Set<unknown>();
    for (let index = 0; index < 50; index++) {
      const { body } = await create(`${core}/services`, named(`s${index}`, { spec: { ports } }));
      expect(at(body, "spec.clusterIPs")).toEqual([at(body, "spec.clusterIP")]);
      addresses.add(at(body, "spec.clusterIP"));
    }
    expect(addresses.size).toBe(50);
    for (const address of addresses) expect(address).toMatch(/^10\.0\.0\.\d+$/);
  });

  test("keep address and node port through updates", async () => {
    const { body } = await create(`${core}/services`, named("s", { spec: { ports, type: "NodePort" } }));
    const nodePort = at(body, "spec.ports.0.nodePort");
    expect(nodePort).toBeGreaterThanOrEqual(30_000);
    const replaced = await send("PUT", `${core}/services/s`, {
      ...named("s"),
      spec: { ports: [{ port: 80, targetPort: 8080 }], type: "NodePort" },
    });
    expect(at(replaced.body, "spec.clusterIP")).toBe(at(body, "spec.clusterIP"));
    expect(at(replaced.body, "spec.ports.0.nodePort")).toBe(nodePort);
  });

  test("cannot take what another one has", async () => {
    const { body } = await create(`${core}/services`, named("a", { spec: { ports } }));
    const taken = { ports, clusterIP: at(body, "spec.clusterIP") };
    const refused = await create(`${core}/services`, named("b", { spec: taken }));
    expect(refused.status).toBe(422);
    expect(refused.body["message"]).toContain("provided IP is already allocated");
  });

  test("headless ones get none", async () => {
    const spec = { clusterIP: "None", selector: { a: "b" }, ports };
    const { body } = await create(`${core}/services`, named("h", { spec }));
    expect(at(body, "spec.clusterIPs")).toEqual(["None"]);
  });
});

describe("storage and nodes", () => {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

  test("claims are protected and get the default class", async () => {
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
    await create("/apis/storage.k8s.io/v1/storageclasses", {
      metadata: { name: "fast", annotations },
      provisioner: "p",
    });
    const { body } = await create(`${core}/persistentvolumeclaims`, named("c", { spec }));
    expect(at(body, "spec.storageClassName")).toBe("fast");
    expect(at(body, "metadata.finalizers")).toEqual(["kubernetes.io/pvc-protection"]);
  });

  test("an empty class stays empty", async () => {
    const claim = named("c", { spec: { ...spec, storageClassName: "" } });
    expect(at((await create(`${core}/persistentvolumeclaims`, claim)).body, "spec.storageClassName")).toBe(
      "",
    );
  });

  test("a claim that is not bound does not grow", async () => {
    await create(`${core}/persistentvolumeclaims`, named("c", { spec }));
    const patch = { spec: { resources: { requests: { storage: "2Gi" } } } };
    expect((await send("PATCH", `${core}/persistentvolumeclaims/c`, patch)).status).toBeGreaterThanOrEqual(
      400,
    );
  });

  test("a new node is tainted until it is ready", async () => {
    const { body } = await create("/api/v1/nodes", named("n"));
    expect(at(body, "spec.taints")).toEqual([{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }]);
  });
});

describe("topology", () => {
  const labels = {
    "topology.kubernetes.io/zone": "zone-a",
    "topology.kubernetes.io/region": "region-1",
    "kubernetes.io/hostname": "n",
  };
  const expected = {
    "topology.kubernetes.io/zone": "zone-a",
    "topology.kubernetes.io/region": "region-1",
  };

  beforeEach(async () => {
    await create("/api/v1/nodes", { metadata: { name: "n", labels } });
  });

  test("a pod gets the zone and the region of the node that it is bound to, and keeps its generation", async () => {
    await create(`${core}/pods`, { metadata: { name: "p", labels: { app: "a" } }, spec: podSpec });
    const target = { kind: "Node", name: "n" };
    await create(`${core}/pods/p/binding`, { metadata: { name: "p", labels: { bound: "yes" } }, target });
    const { body } = await send("GET", `${core}/pods/p`);
    expect(at(body, "metadata.labels")).toEqual({ app: "a", bound: "yes", ...expected });
    expect(at(body, "metadata.generation")).toBe(1);
  });

  test("a pod that names its node has them from the start", async () => {
    const { body } = await create(`${core}/pods`, named("p", { spec: { ...podSpec, nodeName: "n" } }));
    expect(at(body, "metadata.labels")).toEqual(expected);
  });

  test("a pod on a node that is not known has none", async () => {
    const { body } = await create(`${core}/pods`, named("p", { spec: { ...podSpec, nodeName: "other" } }));
    expect(at(body, "metadata.labels")).toBeUndefined();
  });
});
