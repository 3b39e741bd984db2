import { expect, test } from "vitest";
import { describeApi } from "./api-client.ts";

type Json = Readonly<Record<string, unknown>>;

const api1 = "/apis/resource.k8s.io/v1";
const cel = (expression: string): Json => ({ cel: { expression } });
const request = (...expressions: readonly string[]): Json => ({
  name: "r",
  exactly: { deviceClassName: "c", selectors: expressions.map(cel) },
});
const claim = (...requests: readonly Json[]): Json => ({ devices: { requests } });

const tens = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
const expensive = ["x", "y", "z", "z2", "z3", "z4", "z5"].reduceRight(
  (inner, variable) => `${tens}.all(${variable}, ${inner})`,
  "int('1'.find('[0-9]*')) < 100",
);
const where = "spec.devices.requests[0].exactly.selectors";
const no = "must evaluate to bool or the unknown type, not";

/** What is said of selectors, the same on both servers. */
const refused: readonly (readonly [what: string, spec: Json, causes: readonly string[]])[] = [
  [
    "a selector of no bool",
    claim(request("true", "1")),
    [`${where}[1].cel.expression: Invalid value: "1": ${no} int`],
  ],
  [
    "a list",
    claim(request("[true]")),
    [`${where}[0].cel.expression: Invalid value: "[true]": ${no} list(bool)`],
  ],
  [
    "what is not known",
    claim(request("dyn(true)")),
    [`${where}[0].cel.expression: Invalid value: "dyn(true)": ${no} dyn`],
  ],
  [
    "a field that devices do not have",
    claim(request("device.name == 'a'")),
    [
      `${where}[0].cel.expression: Invalid value: "device.name == 'a'": compilation failed: ERROR: <input>:1:7: undefined field 'name'\n | device.name == 'a'\n | ......^`,
    ],
  ],
  [
    "a loop over an attribute",
    claim(request("device.attributes['a'].b.all(x, x)")),
    [
      `${where}[0].cel.expression: Invalid value: "device.attributes['a'].b.all(x, x)": compilation failed: ERROR: <input>:1:23: expression of type 'any' cannot be range of a comprehension (must be list, map, or dynamic)\n | device.attributes['a'].b.all(x, x)\n | ......................^`,
    ],
  ],
  [
    "what costs too much",
    claim(request(expensive)),
    [`${where}[0].cel.expression: Forbidden: too complex, exceeds cost limit`],
  ],
  [
    "a selector of an alternative",
    claim({
      name: "r",
      firstAvailable: [{ name: "s", deviceClassName: "c", selectors: [cel("true"), cel("'a'")] }],
    }),
    [
      `spec.devices.requests[0].firstAvailable[0].selectors[1].cel.expression: Invalid value: "'a'": ${no} string`,
    ],
  ],
  [
    "a text that is too long, and nothing else of it",
    claim(request(`1${" ".repeat(10_240)}`)),
    [`${where}[0].cel.expression: Too long: may not be more than 10240 bytes`],
  ],
];

const taken: readonly string[] = [
  "true",
  "device.attributes['gpu.example.com'].ready",
  "device.driver == 'gpu.example.com' && !device.allowMultipleAllocations",
  "device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0",
  "cel.bind(gpu, device.attributes['gpu.example.com'], gpu.model == 'a100' || gpu.version.isGreaterThan(semver('1.0.0')))",
  "device.attributes.exists(domain, domain == 'gpu.example.com')",
];

const causesOf = (details: Json | undefined): readonly string[] =>
  ((details?.["causes"] ?? []) as readonly { field: string; message: string }[]).map(
    ({ field, message }) => `${field}: ${message}`,
  );

describeApi("selectors of devices", (api) => {
  test.each(refused)("%s is refused in a claim and in a template", async (_, spec, causes) => {
    const namespace = await api().namespace();
    const path = `${api1}/namespaces/${namespace}`;
    const metadata = { name: "bad" };
    const made = await api().send("POST", `${path}/resourceclaims`, { metadata, spec });
    expect([made.status, causesOf(made.body.details)]).toEqual([422, causes]);
    const template = await api().send("POST", `${path}/resourceclaimtemplates`, { metadata, spec: { spec } });
    const inTemplate = causes.map((cause) => `spec.${cause}`);
    expect([template.status, causesOf(template.body.details)]).toEqual([422, inTemplate]);
  });

  test.each(taken)("%s is taken", async (expression) => {
    const path = `${api1}/namespaces/${await api().namespace()}/resourceclaims`;
    const { status, body } = await api().send("POST", path, {
      metadata: { name: "good" },
      spec: claim(request(expression)),
    });
    expect(status, body.message).toBe(201);
  });

  test("a class has its own, also when it changes", async () => {
    const name = `class-${await api().namespace()}`;
    const path = `${api1}/deviceclasses`;
    const bad = await api().send("POST", path, {
      metadata: { name },
      spec: { selectors: [cel("true"), cel("2")] },
    });
    const causes = [`spec.selectors[1].cel.expression: Invalid value: "2": ${no} int`];
    expect([bad.status, causesOf(bad.body.details)]).toEqual([422, causes]);
    const good = await api().send("POST", path, { metadata: { name }, spec: { selectors: [cel("true")] } });
    expect(good.status).toBe(201);
    const change = { spec: { selectors: [cel("true"), cel("2")] } };
    const changed = await api().patch(`${path}/${name}`, "merge", change);
    expect([changed.status, causesOf(changed.body.details)]).toEqual([422, causes]);
    const labelled = await api().patch(`${path}/${name}`, "merge", { metadata: { labels: { a: "b" } } });
    expect(labelled.status).toBe(200);
  });
});
