import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROTOBUF_TYPE } from "../../api/protobuf/decode.ts";
import {
  encodeProtobufEvent,
  encodeProtobufItem,
  encodeProtobufList,
  encodeProtobufObject,
} from "../../api/protobuf/encode.ts";
import { seededRandom } from "../../clock/random.ts";
import { realClock } from "../../clock/real.ts";
import { embeddedServer } from "../embedded-server.ts";
import type { ApiServer } from "../server/api-server.ts";
import type { ListBody, WatchFrame } from "../server/request.ts";
import { HttpServer } from "./http-server.ts";

const path = "/api/v1/namespaces/default/configmaps";
const metadataOnly = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

let server: ApiServer;
let http: HttpServer;

beforeAll(async () => {
  server = embeddedServer({ clock: realClock, random: seededRandom(1) });
  http = await HttpServer.start({ server });
  for (const name of ["a", "b"]) {
    const value = { metadata: { name, labels: { of: name } }, data: { name } };
    const query = new URLSearchParams();
    await server.handle({ method: "POST", path, query, headers: {}, body: { value } });
  }
});
afterAll(async () => {
  await http.close();
  await server.close();
});

async function read(at: string, accept: string): Promise<{ readonly type: string; readonly bytes: Buffer }> {
  const [answer] = (await once(get(`${http.url}${at}`, { headers: { accept } }), "response")) as [
    IncomingMessage,
  ];
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return { type: answer.headers["content-type"] ?? "", bytes: Buffer.concat(chunks) };
}

const json = async <T>(at: string, form = ""): Promise<T> =>
  JSON.parse((await read(at, `application/json${form}`)).bytes.toString().split("\n", 1)[0] ?? "") as T;

test("an object, its metadata and a refusal", async () => {
  for (const [at, form] of [
    [`${path}/a`, ""],
    [`${path}/a`, metadataOnly],
    [`${path}/none`, ""],
  ] as const) {
    const { type, bytes } = await read(at, `${PROTOBUF_TYPE}${form}`);
    expect(type).toBe(PROTOBUF_TYPE);
    expect(bytes).toEqual(encodeProtobufObject(await json<object>(at, form)));
  }
});

test.each([
  ["of objects", path, "", { apiVersion: "v1", kind: "ConfigMap" }],
  [
    "of metadata",
    path,
    metadataOnly.replace("Metadata;", "MetadataList;"),
    { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" },
  ],
  ["of nothing", "/api/v1/namespaces/none/pods", "", { apiVersion: "v1", kind: "Pod" }],
])("a list %s", async (_, at, form, item) => {
  const { type, bytes } = await read(at, `${PROTOBUF_TYPE}${form}`);
  expect(type).toBe(PROTOBUF_TYPE);
  const list = await json<ListBody>(at, form);
  const items = list.items.map((one) => encodeProtobufItem(one, item));
  const { before, after } = encodeProtobufList(list, Buffer.concat(items).length);
  expect(bytes).toEqual(Buffer.concat([before, ...items, after]));
});

test("metadata of nothing", async () => {
  const form = metadataOnly.replace("Metadata;", "MetadataList;");
  const at = "/api/v1/namespaces/none/pods";
  const { before, after } = encodeProtobufList(await json<ListBody>(at, form), 0);
  expect((await read(at, `${PROTOBUF_TYPE}${form}`)).bytes).toEqual(Buffer.concat([before, after]));
});

test("what is known of a list as a whole comes in a field of its own", () => {
  const metadata = { resourceVersion: "5", continue: "c", remainingItemCount: 3 };
  const { before } = encodeProtobufList({ apiVersion: "v1", kind: "ConfigMapList", metadata }, 0);
  // selfLink is the first field of ListMeta, resourceVersion the second, continue the third, the rest the fourth.
  const inner = Buffer.from([0x0a, 0, 0x12, 1, 0x35, 0x1a, 1, 0x63, 0x20, 3]);
  expect(before.toString("latin1")).toContain(
    Buffer.concat([Buffer.from([0x0a, inner.length]), inner]).toString("latin1"),
  );
});

test.each(["", metadataOnly])("a watch%s", async (form) => {
  const at = `${path}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Da`;
  const [{ type, bytes }, frame] = await Promise.all([
    read(at, `${PROTOBUF_TYPE}${form};stream=watch`),
    json<WatchFrame>(at, form),
  ]);
  expect(type).toBe(`${PROTOBUF_TYPE};stream=watch`);
  const event = encodeProtobufEvent(frame.type, frame.object);
  expect(bytes.readUInt32BE(0)).toBe(event.length);
  expect(bytes.subarray(4)).toEqual(event);
});
