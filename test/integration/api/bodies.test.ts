import { expect, test } from "vitest";
import { parseYaml } from "../../../pkg/apiserver/decode/yaml-text.ts";
import { type ApiClient, type Answer, type Body, describeApi } from "./api-client.ts";

const yaml = { "content-type": "application/yaml" };
const apply = { "content-type": "application/apply-patch+yaml" };
const merge = { "content-type": "application/merge-patch+json" };
const jsonPatch = { "content-type": "application/json-patch+json" };

const text = (name: string, more = ""): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  a: "1"\n${more}`;

function read({ headers, body }: Answer): Body {
  expect(headers["content-type"]).toBe("application/yaml");
  return parseYaml(body as unknown as string).value as Body;
}

async function listOf(api: ApiClient, name = "a"): Promise<string> {
  const path = await api.configMaps();
  expect((await api.send("POST", path, text(name), yaml)).status).toBe(201);
  return path;
}

const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

describeApi("bodies", (api) => {
  test("objects come as YAML, and are answered in it", async () => {
    const path = await listOf(api());
    const accept = { accept: "application/yaml" };
    expect(read(await api().get(`${path}/a`, accept))).toMatchObject({ kind: "ConfigMap", data: { a: "1" } });
    const list = read(await api().get(path, accept));
    expect(list.kind).toBe("ConfigMapList");
    expect(list.items.find(({ metadata }) => metadata.name === "a")?.data).toEqual({ a: "1" });
    expect(read(await api().get(`${path}/none`, accept))).toMatchObject({
      kind: "Status",
      code: 404,
      reason: "NotFound",
    });
    const put = await api().send("PUT", `${path}/a`, text("a", "  b: |\n    x\n    y\n"), {
      ...yaml,
      ...accept,
    });
    expect([put.status, read(put).data]).toEqual([200, { a: "1", b: "x\ny\n" }]);
    const either = await api().get(`${path}/a`, { accept: "application/yaml;q=0.5, application/json" });
    expect(either.headers["content-type"]).toBe("application/json");
    const watch = await api().get(`${path}?watch=1&timeoutSeconds=1`, accept);
    expect([watch.status, read(watch).reason]).toEqual([406, "NotAcceptable"]);
    const askAsStranger = async (form: string): Promise<unknown> => {
      const { status, headers } = await api().get(path, { accept: form, "impersonate-user": "nobody" });
      return [status, headers["content-type"]];
    };
    expect(await askAsStranger("application/yaml")).toEqual([403, "application/yaml"]);
    const table = "application/yaml;as=Table;v=v1;g=meta.k8s.io";
    expect(await askAsStranger(table)).toEqual([403, "application/json"]);
    const options = "apiVersion: v1\nkind: DeleteOptions\npropagationPolicy: Background\n";
    expect((await api().send("DELETE", `${path}/a`, options, yaml)).status).toBe(200);
  });

  test("YAML is that of Go", async () => {
    const path = await api().configMaps();
    const send = async (data: string): Promise<Answer> =>
      api().send(
        "POST",
        path,
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}\n${data}\n`,
        yaml,
      );
    expect((await send("data: {a: 2020-01-01, b: ok}")).body.data).toEqual({ a: "2020-01-01", b: "ok" });
    expect((await send('data: {a: &x "v", b: *x}')).body.data).toEqual({ a: "v", b: "v" });
    expect((await send('data:\n  <<: {a: "b"}\n  c: d')).body.data).toEqual({ a: "b", c: "d" });
    expect((await send("immutable: yes")).body["immutable"]).toBe(true);
    expect((await send('data: {y: "1", 0x10: "2"}')).body.data).toEqual({ true: "1", 16: "2" });
    const wrong = await send("data: {a: yes}");
    expect([wrong.status, wrong.body.message]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal bool into Go struct field ConfigMap.data of type string',
    ]);
    const list = await api().send("POST", path, "- a\n", yaml);
    expect([list.status, list.body.message]).toEqual([
      400,
      expect.stringMatching(
        /unrecognized \(must be of type ConfigMap\).*cannot unmarshal array .*\(2d20610a\)$/,
      ),
    ]);
    const bad = await api().send("POST", path, "a: [", yaml);
    expect([bad.status, bad.body.message]).toEqual([
      400,
      expect.stringMatching(
        /^the object provided is unrecognized \(must be of type ConfigMap\): yaml: line 1: .* \(613a205b\)$/,
      ),
    ]);
  });

  test("what YAML says twice is warned of, or refused", async () => {
    const path = await api().configMaps();
    const twice = text("t", "data: {}\n");
    const line = 'line 7: key "data" already set in map';
    const warned = await api().send("POST", path, twice, yaml);
    expect([warned.status, warned.headers["warning"]]).toEqual([201, `299 - ${JSON.stringify(line)}`]);
    const strict = await api().send("POST", `${path}?fieldValidation=Strict`, twice, yaml);
    expect([strict.status, strict.body.message]).toEqual([
      400,
      `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  ${line}`,
    ]);
    const applied = await api().send("PATCH", `${path}/t?fieldManager=me&force=true`, twice, apply);
    expect([applied.status, applied.headers["warning"]]).toEqual([200, `299 - ${JSON.stringify(line)}`]);
    const refused = await api().send(
      "PATCH",
      `${path}/t?fieldManager=me&fieldValidation=Strict`,
      twice,
      apply,
    );
    expect([refused.status, refused.body.message]).toEqual([
      400,
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${line}`,
    ]);
  });

  test("YAML is applied", async () => {
    const path = await api().configMaps();
    const created = await api().send("PATCH", `${path}/a?fieldManager=me`, text("a"), apply);
    expect([created.status, created.body.data]).toEqual([201, { a: "1" }]);
    const scalar = await api().send("PATCH", `${path}/a?fieldManager=me`, "hello", apply);
    expect([scalar.status, scalar.body.message]).toEqual([
      400,
      "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go value of type map[string]interface {}",
    ]);
  });

  test("what a patch says twice, and what an operation does not know", async () => {
    const path = await listOf(api());
    const patches: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
      ['{"data":{"a":"1","a":"2"}}', merge, 'duplicate field "data.a"'],
      [
        '[{"op":"add","op":"add","path":"/data/x","value":"y"}]',
        jsonPatch,
        'json patch duplicate field "[0].op"',
      ],
      [
        '[{"op":"add","path":"/data/x","value":"y","foo":1}]',
        jsonPatch,
        'json patch unknown field "[0].foo"',
      ],
    ];
    for (const [patch, type, problem] of patches) {
      const warned = await api().send("PATCH", `${path}/a`, patch, type);
      expect([warned.status, warned.headers["warning"]]).toEqual([200, `299 - ${JSON.stringify(problem)}`]);
      const strict = await api().send("PATCH", `${path}/a?fieldValidation=Strict`, patch, type);
      expect([strict.status, strict.body.message]).toEqual([
        422,
        expect.stringContaining(`strict decoding error: ${problem}`),
      ]);
      const ignored = await api().send("PATCH", `${path}/a?fieldValidation=Ignore`, patch, type);
      expect([ignored.status, ignored.headers["warning"]]).toEqual([200, undefined]);
    }
  });

  test("nothing is too deep to be refused", async () => {
    const path = await listOf(api());
    const object = (levels: number): string =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d"},"x":${deep(levels)}}`;
    expect((await api().send("POST", path, object(900))).status).toBe(201);
    const tooDeep = await api().send("POST", path, object(20_000));
    expect([tooDeep.status, tooDeep.body.message]).toEqual([
      400,
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: " +
        `invalid character '[' exceeded max depth ({"apiVersion":"v1","kind":"Con ...)`,
    ]);
    const patches = [
      [merge, `{"x":${deep(20_000)}}`],
      [jsonPatch, `[{"op":"add","path":"/x","value":${deep(20_000)}}]`],
    ] as const;
    for (const [type, patch] of patches) {
      const { status, body } = await api().send("PATCH", `${path}/a`, patch, type);
      expect([status, body.message]).toEqual([
        400,
        "error decoding patch: invalid character '[' exceeded max depth",
      ]);
    }
    const applied = await api().send("PATCH", `${path}/a?fieldManager=me`, object(20_000), apply);
    expect([applied.status, applied.body.message]).toEqual([
      400,
      expect.stringMatching(/^error decoding YAML: error converting YAML to JSON: .*exceeded max depth/),
    ]);
    const deleted = await api().send("DELETE", `${path}/a`, `{"x":${deep(20_000)}}`);
    expect([deleted.status, deleted.body.message]).toEqual([
      400,
      "couldn't get version/kind; json parse error: invalid character '[' exceeded max depth",
    ]);
  });
});
