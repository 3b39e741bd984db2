import { beforeAll, expect, test } from "vitest";
import { describeApi } from "./api-client.ts";

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const deployment = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: { replicas: 1, selector: { matchLabels: { a: "b" } }, template },
});
const scaleOf = (name: string, replicas?: unknown, metadata: object = {}) => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name, ...metadata },
  spec: replicas === undefined ? {} : { replicas },
});

describeApi("scale", (api) => {
  let path = "";
  beforeAll(async () => {
    path = `/apis/apps/v1/namespaces/${await api().namespace()}/deployments`;
  });

  /** Of an object: who owns the replicas, by which operation, in which version, through what, and since when. */
  async function owners(at: string): Promise<readonly unknown[]> {
    const { managedFields = [] } = (await api().get(at)).body.metadata;
    return managedFields
      .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes("f:replicas"))
      .map(({ manager, operation, apiVersion, subresource, time }) =>
        [manager, operation, apiVersion, subresource, time === undefined ? "never" : "once"].join(" "),
      );
  }

  test("an apply to the scale meets the owners of the object", async () => {
    await api().apply(`${path}/d`, "owner", deployment("d"));
    const refused = await api().apply(`${path}/d/scale`, "hpa", scaleOf("d", 3));
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "owner": .spec.replicas',
    ]);
    expect(refused.body.details).toEqual({
      causes: [{ reason: "FieldManagerConflict", message: 'conflict with "owner"', field: ".spec.replicas" }],
    });
    expect(await owners(`${path}/d`)).toEqual(["owner Apply apps/v1  once"]);
  });

  test("the scale of a version from the future times out, as the object does", async () => {
    await api().send("POST", path, deployment("later"));
    const { status, body } = await api().get(`${path}/later/scale?resourceVersion=99999999`);
    expect([status, body.reason]).toEqual([504, "Timeout"]);
  });

  test("an apply by force takes the replicas, and the object's applier meets that", async () => {
    await api().apply(`${path}/f`, "owner", deployment("f"));
    const forced = await api().apply(`${path}/f/scale`, "hpa", scaleOf("f", 3), true);
    expect([forced.status, forced.body.kind, forced.body.spec]).toEqual([200, "Scale", { replicas: 3 }]);
    expect(await owners(`${path}/f`)).toEqual(["hpa Apply apps/v1 scale never"]);
    const again = await api().apply(`${path}/f`, "owner", deployment("f"));
    expect([again.status, again.body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale": .spec.replicas',
    ]);
    const other = await api().apply(`${path}/f/scale`, "vpa", scaleOf("f", 4));
    expect(other.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "hpa" with subresource "scale": .spec.replicas',
    );
    expect((await api().apply(`${path}/f/scale`, "vpa", scaleOf("f", 3))).status).toBe(200);
    expect(await owners(`${path}/f`)).toEqual([
      "hpa Apply apps/v1 scale never",
      "vpa Apply apps/v1 scale never",
    ]);
  });

  test("every other write owns what it changes", async () => {
    await api().apply(`${path}/w`, "owner", deployment("w"));
    const at = `${path}/w/scale?fieldManager=`;
    const put = await api().send("PUT", `${at}put`, scaleOf("w", 5));
    expect([put.status, put.body.spec]).toEqual([200, { replicas: 5 }]);
    expect(await owners(`${path}/w`)).toEqual(["put Update apps/v1 scale never"]);
    await api().patch(`${at}merge`, "merge", { spec: { replicas: 6 } });
    expect(await owners(`${path}/w`)).toEqual(["merge Update apps/v1 scale never"]);
    await api().patch(`${at}json`, "json", [{ op: "replace", path: "/spec/replicas", value: 7 }]);
    expect(await owners(`${path}/w`)).toEqual(["json Update apps/v1 scale never"]);
    await api().patch(`${at}strategic`, "strategic", { spec: { replicas: 8 } });
    expect(await owners(`${path}/w`)).toEqual(["strategic Update apps/v1 scale never"]);
    const { body } = await api().get(`${path}/w`);
    expect([body.spec["replicas"], body.metadata.generation]).toEqual([8, 5]);
  });

  test("a write that changes nothing takes the replicas from those who update the object", async () => {
    await api().send("POST", `${path}?fieldManager=maker`, deployment("n"));
    const { body: before } = await api().get(`${path}/n`);
    await api().send("PUT", `${path}/n/scale?fieldManager=put`, scaleOf("n", 1));
    const { body: after } = await api().get(`${path}/n`);
    expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    expect(await owners(`${path}/n`)).toEqual(["maker Update apps/v1  never"]);
    expect(after.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["maker", "maker"]);
    // Two of one name are one, the last: nobody owns the replicas any more.
    await api().patch(`${path}/n`, "merge", { metadata: { labels: { a: "b" } } });
    expect(await owners(`${path}/n`)).toEqual([]);
    // Who scales to nothing owns nothing.
    await api().send("POST", `${path}?fieldManager=maker`, deployment("z"));
    await api().send("PUT", `${path}/z/scale?fieldManager=put`, scaleOf("z", 0));
    expect(await owners(`${path}/z`)).toEqual([]);
    await api().apply(`${path}/k`, "owner", deployment("k"));
    await api().send("PUT", `${path}/k/scale?fieldManager=put`, scaleOf("k", 1));
    expect(await owners(`${path}/k`)).toEqual(["owner Apply apps/v1  once"]);
  });

  test.each(["replicasets", "statefulsets"])("of %s, too", async (plural) => {
    const sets = path.replace("deployments", plural);
    const { spec } = deployment("x");
    await api().send("POST", sets, { metadata: { name: "x" }, spec: { ...spec, serviceName: "s" } });
    await api().patch(`${sets}/x/scale?fieldManager=m`, "merge", { spec: { replicas: 6 } });
    expect(await owners(`${sets}/x`)).toEqual(["m Update apps/v1 scale never"]);
    const refused = await api().apply(`${sets}/x/scale`, "hpa", scaleOf("x", 3));
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "m" with subresource "scale" using autoscaling/v1: .spec.replicas',
    ]);
  });

  const refusals: readonly (readonly [string, object, number, string])[] = [
    [
      "another name",
      scaleOf("e", 1),
      400,
      "the name of the object (e) does not match the name on the URL (r)",
    ],
    [
      "no name",
      { spec: { replicas: 2 } },
      400,
      "the name of the object (r based on URL) was undeterminable: name must be provided",
    ],
    [
      "another namespace",
      scaleOf("r", 1, { namespace: "other" }),
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      "fewer than none",
      scaleOf("r", -1),
      422,
      'Scale.autoscaling "r" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      "what is no number",
      scaleOf("r", "x"),
      400,
      'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32',
    ],
    [
      "an old version",
      scaleOf("r", 1, { resourceVersion: "1" }),
      409,
      'Operation cannot be fulfilled on deployments.apps "r": the object has been modified; please apply your changes to the latest version and try again',
    ],
  ];
  test.each(refusals)("an update to %s is refused", async (_, body, ...expected) => {
    await api().send("POST", path, deployment("r"));
    const refused = await api().send("PUT", `${path}/r/scale`, body);
    expect([refused.status, refused.body.message]).toEqual(expected);
  });

  test("patches that are no good", async () => {
    await api().send("POST", path, deployment("p"));
    const at = `${path}/p/scale`;
    const renamed = await api().patch(at, "merge", { metadata: { name: "x" } });
    expect([renamed.status, renamed.body.message]).toEqual([
      400,
      "the name of the object (x) does not match the name on the URL (p)",
    ]);
    const list = await api().patch(at, "merge", []);
    expect([list.status, list.body.message]).toEqual([
      400,
      "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    ]);
    expect((await api().patch(at, "merge", { spec: { replicas: "x" } })).status).toBe(422);
    const wrong = await api().apply(at, "x", deployment("p"));
    expect([wrong.status, wrong.body.message]).toEqual([
      400,
      "invalid object type: apps/v1, Kind=Deployment",
    ]);
    const strict = await api().send("PUT", `${at}?fieldValidation=Strict`, { ...scaleOf("p", 1), foo: 1 });
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'Scale in version "v1" cannot be handled as a Scale: strict decoding error: unknown field "foo"',
    ]);
  });

  test("a table of it", async () => {
    await api().send("POST", path, deployment("t"));
    const accept = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
    const { body } = await api().get(`${path}/t/scale`, accept);
    const columns = body["columnDefinitions"] as readonly { readonly name: string }[];
    expect(columns.map(({ name }) => name)).toEqual(["Name", "Desired", "Available", "Age"]);
    expect(body["rows"]).toMatchObject([{ cells: ["t", 1, 0, expect.any(String) as string] }]);
  });
});
