import { expect, test } from "vitest";
import { type ApiClient, describeApi } from "./api-client.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const JSON_TYPE = "application/json";
const YAML = "application/yaml";
const as = (type: string, form: string): string => `${type};as=${form};g=meta.k8s.io;v=v1`;

/** Whoever asks so, of an object, of a list and of an object that is not there. */
const asked: readonly string[] = [
  PROTOBUF,
  `${PROTOBUF},${JSON_TYPE}`,
  `${JSON_TYPE},${PROTOBUF}`,
  `${PROTOBUF};q=0.5,${JSON_TYPE}`,
  `${PROTOBUF};q=0.5,${YAML};q=0.4`,
  `${PROTOBUF},*/*`,
  "*/*",
  `text/html,${PROTOBUF}`,
  as(PROTOBUF, "Table"),
  `${as(PROTOBUF, "Table")},${JSON_TYPE}`,
  `${as(PROTOBUF, "Table")},${PROTOBUF}`,
  `${as(JSON_TYPE, "Table")},${PROTOBUF}`,
  as(PROTOBUF, "PartialObjectMetadata"),
  as(PROTOBUF, "PartialObjectMetadataList"),
  `${as(PROTOBUF, "PartialObjectMetadata")},${JSON_TYPE}`,
  as(PROTOBUF, "Nothing"),
];

async function answered(api: ApiClient, path: string, accept: string): Promise<string> {
  const { status, headers } = await api.get(path, { accept });
  return `${status} ${String(headers["content-type"])}`;
}

type Answers = Readonly<Record<string, readonly string[]>>;

/** Of the object "a", the list, and an object that is not there, by what is accepted. */
async function answersAt(api: ApiClient, path: string, accepted: readonly string[]): Promise<Answers> {
  const found: Record<string, readonly string[]> = {};
  for (const accept of accepted) {
    const answers: string[] = [];
    for (const one of [`${path}/a`, path, `${path}/none`]) answers.push(await answered(api, one, accept));
    found[accept] = answers;
  }
  return found;
}

describeApi("answers in protobuf", (api) => {
  test("what they are written as", async () => {
    const path = await api().configMaps();
    await api().send("POST", path, { metadata: { name: "a" }, data: { a: "1" } });
    expect(await answersAt(api(), path, asked)).toMatchInlineSnapshot(`
      {
        "*/*": [
          "200 application/json",
          "200 application/json",
          "404 application/json",
        ],
        "application/json,application/vnd.kubernetes.protobuf": [
          "200 application/json",
          "200 application/json",
          "404 application/json",
        ],
        "application/json;as=Table;g=meta.k8s.io;v=v1,application/vnd.kubernetes.protobuf": [
          "200 application/json",
          "200 application/json",
          "404 application/vnd.kubernetes.protobuf",
        ],
        "application/vnd.kubernetes.protobuf": [
          "200 application/vnd.kubernetes.protobuf",
          "200 application/vnd.kubernetes.protobuf",
          "404 application/vnd.kubernetes.protobuf",
        ],
        "application/vnd.kubernetes.protobuf,*/*": [
          "200 application/vnd.kubernetes.protobuf",
          "200 application/vnd.kubernetes.protobuf",
          "404 application/vnd.kubernetes.protobuf",
        ],
        "application/vnd.kubernetes.protobuf,application/json": [
          "200 application/vnd.kubernetes.protobuf",
          "200 application/vnd.kubernetes.protobuf",
          "404 application/vnd.kubernetes.protobuf",
        ],
        "application/vnd.kubernetes.protobuf;as=Nothing;g=meta.k8s.io;v=v1": [
          "406 application/json",
          "406 application/json",
          "406 application/json",
        ],
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1": [
          "200 application/vnd.kubernetes.protobuf",
          "406 application/json",
          "404 application/json",
        ],
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json": [
          "200 application/vnd.kubernetes.protobuf",
          "406 application/json",
          "404 application/json",
        ],
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1": [
          "406 application/json",
          "200 application/vnd.kubernetes.protobuf",
          "404 application/json",
        ],
        "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1": [
          "406 application/json",
          "406 application/json",
          "406 application/json",
        ],
        "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/json": [
          "200 application/json",
          "200 application/json",
          "404 application/json",
        ],
        "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/vnd.kubernetes.protobuf": [
          "200 application/vnd.kubernetes.protobuf",
          "200 application/vnd.kubernetes.protobuf",
          "404 application/vnd.kubernetes.protobuf",
        ],
        "application/vnd.kubernetes.protobuf;q=0.5,application/json": [
          "200 application/json",
          "200 application/json",
          "404 application/json",
        ],
        "application/vnd.kubernetes.protobuf;q=0.5,application/yaml;q=0.4": [
          "200 application/vnd.kubernetes.protobuf",
          "200 application/vnd.kubernetes.protobuf",
          "404 application/vnd.kubernetes.protobuf",
        ],
        "text/html,application/vnd.kubernetes.protobuf": [
          "200 application/vnd.kubernetes.protobuf",
          "200 application/vnd.kubernetes.protobuf",
          "404 application/vnd.kubernetes.protobuf",
        ],
      }
    `);
  });

  test("custom resources have none, but their metadata have", async () => {
    const group = "protobuf.example.com";
    const names = { plural: "plains", singular: "plain", kind: "Plain", listKind: "PlainList" };
    const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
    await api().send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: `plains.${group}` },
      spec: { group, names, scope: "Cluster", versions },
    });
    const path = `/apis/${group}/v1/plains`;
    while ((await api().get(path)).status !== 200);
    await api().send("POST", path, { apiVersion: `${group}/v1`, kind: "Plain", metadata: { name: "a" } });
    // upstream: 500 for metadata of a list that is none.
    const known = asked.filter((one) => !one.includes("MetadataList"));
    expect(await answersAt(api(), path, known)).toMatchInlineSnapshot(`
      {
        "*/*": [
          "200 application/json",
          "200 application/json",
          "404 application/json",
        ],
        "application/json,application/vnd.kubernetes.protobuf": [
          "200 application/json",
          "200 application/json",
          "404 application/json",
        ],
        "application/json;as=Table;g=meta.k8s.io;v=v1,application/vnd.kubernetes.protobuf": [
          "200 application/json",
          "200 application/json",
          "404 application/vnd.kubernetes.protobuf",
        ],
        "application/vnd.kubernetes.protobuf": [
          "406 application/vnd.kubernetes.protobuf",
          "406 application/vnd.kubernetes.protobuf",
          "406 application/vnd.kubernetes.protobuf",
        ],
        "application/vnd.kubernetes.protobuf,*/*": [
          "200 application/json",
          "200 application/json",
          "404 application/vnd.kubernetes.protobuf",
        ],
        "application/vnd.kubernetes.protobuf,application/json": [
          "200 application/json",
          "200 application/json",
          "404 application/vnd.kubernetes.protobuf",
        ],
        "application/vnd.kubernetes.protobuf;as=Nothing;g=meta.k8s.io;v=v1": [
          "406 application/json",
          "406 application/json",
          "406 application/json",
        ],
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1": [
          "200 application/vnd.kubernetes.protobuf",
          "406 application/json",
          "404 application/json",
        ],
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json": [
          "200 application/vnd.kubernetes.protobuf",
          "406 application/json",
          "404 application/json",
        ],
        "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1": [
          "406 application/json",
          "406 application/json",
          "406 application/json",
        ],
        "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/json": [
          "200 application/json",
          "200 application/json",
          "404 application/json",
        ],
        "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/vnd.kubernetes.protobuf": [
          "406 application/vnd.kubernetes.protobuf",
          "406 application/vnd.kubernetes.protobuf",
          "406 application/vnd.kubernetes.protobuf",
        ],
        "application/vnd.kubernetes.protobuf;q=0.5,application/json": [
          "200 application/json",
          "200 application/json",
          "404 application/json",
        ],
        "application/vnd.kubernetes.protobuf;q=0.5,application/yaml;q=0.4": [
          "200 application/yaml",
          "200 application/yaml",
          "404 application/vnd.kubernetes.protobuf",
        ],
        "text/html,application/vnd.kubernetes.protobuf": [
          "406 application/vnd.kubernetes.protobuf",
          "406 application/vnd.kubernetes.protobuf",
          "406 application/vnd.kubernetes.protobuf",
        ],
      }
    `);
  });
});
