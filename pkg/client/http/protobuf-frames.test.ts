import { describe, expect, test } from "vitest";
import { ByteCache } from "../../api/protobuf/byte-cache.ts";
import { TransportError } from "../transport.ts";
import { ProtobufFrames } from "./protobuf-frames.ts";

function field(number: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const value = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([number * 8 + 2, value.length]), value]);
}

function frame(type: string, name: string, ...metadata: readonly Buffer[]): Buffer {
  const typeMeta = field(1, field(1, "v1"), field(2, "ConfigMap"));
  const object = Buffer.concat([
    Buffer.from("k8s\0"),
    typeMeta,
    field(2, field(1, field(1, name), ...metadata)),
  ]);
  const event = Buffer.concat([field(1, type), field(2, field(1, object))]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

const event = (type: string, name: string): object => ({
  type,
  object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name } },
  exact: false,
});

const stream = Buffer.concat([frame("ADDED", "a"), frame("MODIFIED", "b"), frame("DELETED", "c")]);
const events = [event("ADDED", "a"), event("MODIFIED", "b"), event("DELETED", "c")];

describe("frames of a watch in protobuf", () => {
  test.each([1, 2, 3, 4, 5, 7, 50, stream.length])("are found in chunks of %i bytes", (size) => {
    const frames = new ProtobufFrames(undefined);
    const found: unknown[] = [];
    for (let at = 0; at < stream.length; at += size)
      found.push(...frames.push(stream.subarray(at, at + size)));
    expect([...found, ...frames.end()]).toEqual(events);
  });

  test("what marks a bookmark is read whatever fields are wanted, and of objects nothing else is", () => {
    const mask = new Map([["metadata", new Map([["name", undefined]])]]);
    const frames = new ProtobufFrames({ mask, cache: new ByteCache() });
    const mark = field(12, field(1, "k8s.io/initial-events-end"), field(2, "true"));
    const [added, bookmark] = frames.push(
      Buffer.concat([frame("ADDED", "a", mark), frame("BOOKMARK", "b", mark)]),
    );
    expect(added).toMatchObject({ object: { metadata: { name: "a" } } });
    expect(added).not.toHaveProperty("object.metadata.annotations");
    const annotations = { "k8s.io/initial-events-end": "true" };
    expect(bookmark).toMatchObject({ type: "BOOKMARK", object: { metadata: { annotations } } });
  });

  test("a stream that ends inside a frame was cut off", () => {
    const frames = new ProtobufFrames(undefined);
    frames.push(stream.subarray(0, -1));
    expect(() => frames.end()).toThrow(expect.objectContaining({ code: "lost" }) as Error);
  });

  test("in place of a frame that is no event stands an error, without a word of what is in it; others follow", () => {
    const frames = new ProtobufFrames(undefined);
    const broken = Buffer.from([0, 0, 0, 2, 0x0f, 0x0f]);
    const [before, error, after] = frames.push(
      Buffer.concat([frame("ADDED", "a"), broken, frame("MODIFIED", "b")]),
    );
    expect([before, after]).toEqual([event("ADDED", "a"), event("MODIFIED", "b")]);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ code: "malformed", message: "broken protobuf of 2 bytes" });
  });
});
