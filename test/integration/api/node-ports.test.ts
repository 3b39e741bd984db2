import { beforeAll, expect, test } from "vitest";
import { type Answer, describeApi } from "./api-client.ts";

interface Port {
  readonly name?: string;
  readonly port?: number;
  readonly nodePort?: number;
  readonly protocol?: string;
}

const FIRST = 30_100;
const taken = "provided port is already allocated";
const outside = "provided port is not in the valid range. The range of valid ports is 30000-32767";

describeApi("node ports", (api) => {
  let path = "";
  beforeAll(async () => {
    path = `/api/v1/namespaces/${await api().namespace()}/services`;
    expect((await make("first", [{ nodePort: FIRST }])).status).toBe(201);
  });

  async function make(name: string, ports: readonly Port[], spec: object = {}, query = ""): Promise<Answer> {
    const given = ports.map((port) => ({ port: 80, ...port }));
    const body = { metadata: { name }, spec: { type: "NodePort", ports: given, ...spec } };
    return api().send("POST", path + query, body);
  }

  const nodePorts = ({ body }: Answer): readonly unknown[] =>
    (body.spec["ports"] as readonly Port[]).map(({ nodePort }) => nodePort);
  const invalid = (name: string, problem: string) => [422, `Service "${name}" is invalid: ${problem}`];

  const refusals: readonly (readonly [string, readonly Port[], string])[] = [
    ["one that is taken", [{ nodePort: FIRST }], `spec.ports[0].nodePort: Invalid value: ${FIRST}: ${taken}`],
    [
      "one that is taken for another protocol",
      [{ nodePort: FIRST, protocol: "UDP" }],
      `spec.ports[0].nodePort: Invalid value: ${FIRST}: ${taken}`,
    ],
    [
      "one for two ports",
      [
        { name: "a", nodePort: FIRST + 90 },
        { name: "b", port: 81, nodePort: FIRST + 90 },
      ],
      `spec.ports[1].nodePort: Invalid value: ${FIRST + 90}: ${taken}`,
    ],
    ["one below", [{ nodePort: 29_999 }], `spec.ports[0].nodePort: Invalid value: 29999: ${outside}`],
    ["one above", [{ nodePort: 32_768 }], `spec.ports[0].nodePort: Invalid value: 32768: ${outside}`],
    ["none that there is", [{ nodePort: -1 }], `spec.ports[0].nodePort: Invalid value: -1: ${outside}`],
  ];
  test.each(refusals)("%s is refused", async (_, ports, problem) => {
    const refused = await make("refused", ports);
    expect([refused.status, refused.body.message]).toEqual(invalid("refused", problem));
  });

  test("one number serves a port in two protocols, given or not", async () => {
    const both = await make("both", [
      { name: "a", nodePort: FIRST + 1, protocol: "TCP" },
      { name: "b", protocol: "UDP" },
    ]);
    expect(nodePorts(both)).toEqual([FIRST + 1, FIRST + 1]);
    const any = await make("any", [
      { name: "a", protocol: "TCP" },
      { name: "b", protocol: "UDP" },
      { name: "c", port: 81 },
    ]);
    const [one, two, three] = nodePorts(any);
    expect(one).toBe(two);
    expect(one).not.toBe(three);
  });

  test("balancers without node ports keep those that are given", async () => {
    const spec = { type: "LoadBalancer", allocateLoadBalancerNodePorts: false };
    const made = await make("bare", [{ name: "a" }, { name: "b", port: 81, nodePort: FIRST + 2 }], spec);
    expect(nodePorts(made)).toEqual([undefined, FIRST + 2]);
    const refused = await make("bare-2", [{ nodePort: FIRST + 2 }], spec);
    expect(refused.status).toBe(422);
  });

  test("health checks have ports of their own, from the same range", async () => {
    const spec = { type: "LoadBalancer", externalTrafficPolicy: "Local" };
    const { body } = await make("checked", [{}], spec);
    expect(body.spec["healthCheckNodePort"]).toBeGreaterThanOrEqual(30_000);
    const own = { ...spec, healthCheckNodePort: FIRST + 3 };
    expect((await make("own", [{}], own)).body.spec["healthCheckNodePort"]).toBe(FIRST + 3);
    for (const port of [FIRST, FIRST + 3]) {
      const refused = await make("again", [{}], { ...spec, healthCheckNodePort: port });
      expect([refused.status, refused.body.message]).toEqual([
        500,
        `Internal error occurred: failed to allocate requested HealthCheck NodePort ${port}: ${taken}`,
      ]);
    }
    const service = await make("service", [{ nodePort: FIRST + 3 }]);
    expect([service.status, service.body.message]).toEqual(
      invalid("service", `spec.ports[0].nodePort: Invalid value: ${FIRST + 3}: ${taken}`),
    );
    const kept = await api().patch(`${path}/own`, "merge", { spec: { healthCheckNodePort: null } });
    expect([kept.status, kept.body.spec["healthCheckNodePort"]]).toEqual([200, FIRST + 3]);
  });

  test("a port that is sent without its number keeps that of its name, whatever else it is", async () => {
    const made = await make("named", [
      { name: "a", nodePort: FIRST + 6 },
      { name: "b", port: 81, nodePort: FIRST + 7 },
    ]);
    const put = async (name: string, ports: readonly Port[]): Promise<readonly unknown[]> => {
      const given = ports.map((port) => ({ port: 80, ...port }));
      const { clusterIP } = made.body.spec;
      const spec = { type: "NodePort", clusterIP, ports: given };
      return nodePorts(await api().send("PUT", `${path}/${name}`, { metadata: { name }, spec }));
    };
    expect(
      await put("named", [
        { name: "a", port: 90, protocol: "UDP" },
        { name: "b", port: 81 },
      ]),
    ).toEqual([FIRST + 6, FIRST + 7]);
    const [renamed, kept] = await put("named", [
      { name: "c", port: 90, protocol: "UDP" },
      { name: "b", port: 81 },
    ]);
    expect([renamed === FIRST + 6, kept]).toEqual([false, FIRST + 7]);
    const [other, claimed] = await put("named", [
      { name: "b", port: 90 },
      { name: "d", port: 81, nodePort: FIRST + 7 },
    ]);
    expect([other === FIRST + 7, claimed]).toEqual([false, FIRST + 7]);
  });

  test("what is only tried takes nothing; what is deleted, changed or needed no more is free again", async () => {
    const ports = [{ nodePort: FIRST + 4 }];
    expect((await make("tried", ports, {}, "?dryRun=All")).status).toBe(201);
    expect((await make("one", ports)).status).toBe(201);
    await api().send("DELETE", `${path}/one`);
    expect((await make("two", ports)).status).toBe(201);
    const plain = await api().patch(`${path}/two`, "merge", { spec: { type: "ClusterIP" } });
    expect(nodePorts(plain)).toEqual([undefined]);
    expect((await make("three", ports)).status).toBe(201);
    const changed = await api().patch(`${path}/three`, "merge", {
      spec: { ports: [{ port: 80, nodePort: FIRST + 5 }] },
    });
    expect(nodePorts(changed)).toEqual([FIRST + 5]);
    expect((await make("four", ports)).status).toBe(201);
    const stolen = await api().patch(`${path}/four`, "merge", {
      spec: { ports: [{ port: 80, nodePort: FIRST }] },
    });
    expect(stolen.status).toBe(422);
  });

  test("an address from elsewhere", async () => {
    const refused = await make("far", [{}], { clusterIP: "192.168.0.1" });
    expect([refused.status, refused.body.message]).toEqual(
      invalid(
        "far",
        'spec.clusterIPs: Invalid value: ["192.168.0.1"]: failed to allocate IP 192.168.0.1: the provided network does not match the current range',
      ),
    );
  });

  test("of many that ask for one port at a time, one gets it", async () => {
    const port = FIRST + 60;
    const names = Array.from({ length: 12 }, (_, at) => `race-${at}`);
    const answers = await Promise.all(names.map(async (name) => make(name, [{ nodePort: port }])));
    const made = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status === 422);
    expect([made.length, refused.length]).toEqual([1, names.length - 1]);
  });

  test("what a refused service was to have is free again", async () => {
    const refused = await make("refused", [{ nodePort: FIRST + 61 }], { sessionAffinity: "Nonsense" });
    expect(refused.status).toBe(422);
    expect((await make("after-refused", [{ nodePort: FIRST + 61 }])).status).toBe(201);
  });

  test("many that are made at a time have ports and addresses of their own", async () => {
    const names = Array.from({ length: 30 }, (_, at) => `own-${at}`);
    const ports = Array.from({ length: 10 }, (_, at) => ({ name: `p${at}`, port: 80 + at }));
    const answers = await Promise.all(names.map(async (name) => make(name, ports)));
    const given = answers.flatMap(nodePorts);
    expect(new Set(given).size).toBe(300);
    expect(new Set(answers.map(({ body }) => body.spec["clusterIP"])).size).toBe(30);
  });
});
