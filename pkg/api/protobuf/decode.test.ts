import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Int64, toInt64 } from "../int64.ts";
import type { Pod } from "../types/core-v1.gen.ts";
import { ByteCache } from "./byte-cache.ts";
import { decodeProtobufObject } from "./decode.ts";
import type { FieldMask } from "./message-plan.ts";
import { ProtobufError } from "./reader.ts";

function varint(value: Int64): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(rest % 128n) + (rest >= 128n ? 128 : 0));
    rest /= 128n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}

function integer(number: number, value: Int64): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

function bytes(number: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const value = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([varint(number * 8 + 2), varint(value.length), value]);
}

function object(apiVersion: string, kind: string, ...fields: readonly Buffer[]): Buffer {
  const typeMeta = bytes(1, bytes(1, apiVersion), bytes(2, kind));
  return Buffer.concat([Buffer.from("k8s\0"), typeMeta, bytes(2, ...fields)]);
}

const pair = (key: string, value: Buffer): Buffer => Buffer.concat([bytes(1, key), value]);

describe("decoding protobuf", () => {
  test("numbers of 64 bits are exact", () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(int64, int64, (generation, revision) => {
        const metadata = bytes(1, bytes(1, "a"), integer(7, generation));
        const data = bytes(2, bytes(1, `{"n":${revision}}`));
        const bytesOfRevision = object("apps/v1", "ControllerRevision", metadata, data, integer(3, revision));
        const { metadata: decoded, ...rest } = decodeProtobufObject(bytesOfRevision);
        const n = toInt64(revision);
        expect(rest).toStrictEqual({
          apiVersion: "apps/v1",
          kind: "ControllerRevision",
          data: { n },
          revision: n,
        });
        expect(decoded).toStrictEqual({
          name: "a",
          ...(generation !== 0n && { generation: toInt64(generation) }),
        });
      }),
    );
  });

  test("metadata, times and maps", () => {
    const metadata = bytes(
      1,
      bytes(1, "a"),
      integer(7, 300),
      bytes(8, integer(1, 1_767_225_600)),
      bytes(9),
      bytes(11, pair("l", bytes(2, "1"))),
      bytes(11, pair("m", bytes(2, "2"))),
      bytes(14, "x.io/a"),
      bytes(14, "x.io/b"),
    );
    const data = bytes(2, pair("key", bytes(2, "välue")));
    const binary = bytes(3, pair("b", bytes(2, Buffer.from([0, 255]))));
    expect(decodeProtobufObject(object("v1", "ConfigMap", metadata, data, binary, integer(4, 1)))).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "a",
        generation: 300,
        creationTimestamp: "2026-01-01T00:00:00Z",
        labels: { l: "1", m: "2" },
        finalizers: ["x.io/a", "x.io/b"],
      },
      data: { key: "välue" },
      binaryData: { b: "AP8=" },
      immutable: true,
    });
  });

  test("messages that stand in their parent, quantities, and numbers that may be names", () => {
    const limits = bytes(1, pair("cpu", bytes(2, bytes(1, "500m"))));
    const httpGet = bytes(2, bytes(1, "/ok"), bytes(2, integer(1, 1), integer(2, 0), bytes(3, "web")));
    const container = bytes(
      2,
      bytes(1, "c"),
      bytes(6, bytes(1, "p"), integer(3, 80)),
      bytes(8, limits),
      bytes(10, bytes(1, httpGet), integer(2, 5)),
    );
    const volume = bytes(1, bytes(1, "v"), bytes(2, bytes(19, bytes(1, bytes(1, "settings")))));
    expect(decodeProtobufObject(object("v1", "Pod", bytes(2, volume, container)))).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      spec: {
        volumes: [{ name: "v", configMap: { name: "settings" } }],
        containers: [
          {
            name: "c",
            ports: [{ name: "p", containerPort: 80 }],
            resources: { limits: { cpu: "500m" } },
            livenessProbe: { httpGet: { path: "/ok", port: "web" }, initialDelaySeconds: 5 },
          },
        ],
      },
    });
  });

  test("negative numbers, raw JSON and lists within maps", () => {
    const negative = Buffer.concat([varint(8), Buffer.from("ffffffffffffffffff01", "hex")]);
    const options = object("v1", "DeleteOptions", negative);
    expect(decodeProtobufObject(options)).toMatchObject({ gracePeriodSeconds: -1 });
    const revision = object(
      "apps/v1",
      "ControllerRevision",
      bytes(2, bytes(1, '{"spec":{}}')),
      integer(3, 2),
    );
    expect(decodeProtobufObject(revision)).toMatchObject({ data: { spec: {} }, revision: 2 });
    const torn = object("apps/v1", "ControllerRevision", bytes(2, bytes(1, "{torn")));
    expect(() => decodeProtobufObject(torn)).toThrow(ProtobufError);
    const extra = bytes(5, pair("scopes", bytes(2, bytes(1, "a"), bytes(1, "b"))));
    const review = object(
      "authorization.k8s.io/v1",
      "SubjectAccessReview",
      bytes(2, bytes(3, "jane"), extra),
    );
    expect(decodeProtobufObject(review)).toMatchObject({
      spec: { user: "jane", extra: { scopes: ["a", "b"] } },
    });
  });

  test("definitions of custom resources, whose schemas stand where plainer values may stand", () => {
    const type = (name: string): Buffer => bytes(5, name);
    const schema = Buffer.concat([
      bytes(3, "#/a"),
      type("object"),
      bytes(8, bytes(1, '{"a":0}')),
      Buffer.from("590000000000000000", "hex"),
      bytes(20, bytes(1, "1")),
      bytes(24, bytes(1, type("string"))),
      bytes(28, bytes(24, bytes(2, type("string")), bytes(2, type("integer")))),
      bytes(29, pair("b", bytes(2, bytes(30, integer(1, 0))))),
      bytes(29, pair("c", bytes(2, bytes(30, integer(1, 1), bytes(2, type("string")))))),
      bytes(32, pair("d", bytes(2, bytes(2, "e")))),
      bytes(32, pair("f", bytes(2, bytes(1, type("string"))))),
      bytes(33, integer(1, 1)),
      integer(38, 1),
    ]);
    const version = bytes(7, bytes(1, "v1"), bytes(4, bytes(1, schema)));
    const definition = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", bytes(2, version));
    const { spec } = decodeProtobufObject(definition) as {
      spec: { versions: readonly { schema: { openAPIV3Schema: unknown } }[] };
    };
    expect(spec.versions[0]?.schema.openAPIV3Schema).toEqual({
      $ref: "#/a",
      type: "object",
      default: { a: 0 },
      minimum: 0,
      enum: [1],
      items: { type: "string" },
      not: { items: [{ type: "string" }, { type: "integer" }] },
      properties: {
        b: { additionalProperties: false },
        c: { additionalProperties: { type: "string" } },
      },
      dependencies: { d: ["e"], f: { type: "string" } },
      additionalItems: true,
      "x-kubernetes-preserve-unknown-fields": true,
    });
  });

  test("messages that are too deep in each other are refused", () => {
    let schema = bytes(5, "object");
    for (let depth = 0; depth < 2_000; depth++) schema = bytes(28, schema);
    const version = bytes(7, bytes(1, "v1"), bytes(4, bytes(1, schema)));
    const definition = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", bytes(2, version));
    expect(() => decodeProtobufObject(definition)).toThrow("messages within messages, more than 500 deep");
  });

  test("options of a delete are of every version", () => {
    const options = object("apps/v1", "DeleteOptions", bytes(4, "Foreground"));
    expect(decodeProtobufObject(options)).toMatchObject({ propagationPolicy: "Foreground" });
  });

  test("only wanted fields are decoded, and equal parts of objects are the same", () => {
    const owner = bytes(13, bytes(1, "ReplicaSet"), bytes(3, "web"), bytes(4, "u-1"), integer(6, 1));
    const pod = (name: string): Buffer =>
      object(
        "v1",
        "Pod",
        bytes(
          1,
          bytes(1, name),
          bytes(2, ""),
          bytes(11, pair("app", bytes(2, "web"))),
          bytes(12, pair("kept", bytes(2, "1"))),
          bytes(12, pair("left-out", bytes(2, "2"))),
          owner,
        ),
        bytes(2, bytes(10, "node-1"), bytes(11, bytes(1, "unread"))),
        bytes(3, bytes(1, "Running"), bytes(3, "")),
      );
    const mask = new Map<string, FieldMask | undefined>([
      [
        "metadata",
        new Map([
          ["name", undefined],
          ["generateName", undefined],
          ["labels", undefined],
          ["annotations", new Map([["kept", undefined]])],
          ["ownerReferences", undefined],
        ]),
      ],
      ["spec", new Map([["nodeName", undefined]])],
      ["status", undefined],
    ]);
    const wanted = { mask, cache: new ByteCache() };
    const [first, second] = ["a", "b"].map(
      (name) => decodeProtobufObject(pod(name), wanted) as unknown as Pod,
    );
    expect(first).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: "a",
        labels: { app: "web" },
        annotations: { kept: "1" },
        ownerReferences: [{ kind: "ReplicaSet", name: "web", uid: "u-1", controller: true }],
      },
      spec: { nodeName: "node-1" },
      status: { phase: "Running" },
    });
    expect(second?.metadata.name).toBe("b");
    expect(second?.metadata.ownerReferences).toBe(first?.metadata.ownerReferences);
    expect(second?.metadata.labels).toBe(first?.metadata.labels);
  });

  test("of a map, what is not wanted and what nobody knows is passed over, wherever it stands", () => {
    const annotations = (...entries: readonly Buffer[]): Buffer =>
      object(
        "v1",
        "Pod",
        bytes(1, bytes(1, "a"), ...entries.map((entry) => bytes(12, entry)), bytes(3, "b")),
      );
    const mask = new Map<string, FieldMask | undefined>([
      [
        "metadata",
        new Map([
          ["name", undefined],
          ["namespace", undefined],
          ["annotations", new Map([["kept", undefined]])],
        ]),
      ],
    ]);
    const kept = pair("kept", bytes(2, "1"));
    const unwanted = pair("left-out", bytes(2, bytes(2, "text that looks like a field")));
    const future = Buffer.concat([bytes(3, "new"), integer(4, 1)]);
    for (const entries of [
      [kept, unwanted],
      [unwanted, kept],
      [unwanted, kept, unwanted, unwanted],
      [Buffer.concat([future, kept])],
      [Buffer.concat([kept, future]), unwanted],
      [unwanted, Buffer.concat([bytes(1, "kept"), future, bytes(2, "1")])],
    ]) {
      const decoded = decodeProtobufObject(annotations(...entries), { mask, cache: new ByteCache() });
      expect(decoded.metadata).toEqual({ name: "a", namespace: "b", annotations: { kept: "1" } });
    }
  });

  test("fields from the future are dropped", () => {
    expect(decodeProtobufObject(object("v1", "ConfigMap", bytes(99, "new"), integer(98, 1)))).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
    });
  });

  test.each([
    ["no magic bytes", Buffer.from("{}")],
    ["an unknown kind", object("v9", "Nope")],
    ["a body that is cut off", object("v1", "ConfigMap", bytes(1, bytes(1, "name"))).subarray(0, -2)],
    ["an illegal wire type", object("v1", "ConfigMap", Buffer.from([0x0f]))],
    ["text where a message belongs", object("v1", "ConfigMap", integer(1, 5))],
  ])("%s is an error of its own", (_, body) => {
    expect(() => decodeProtobufObject(body)).toThrow(ProtobufError);
  });
});
