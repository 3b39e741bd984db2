import fc from "fast-check";
import { expect, test } from "vitest";
import { definitionOf } from "../schema.ts";
import { decodeProtobufEvent, decodeProtobufObject, hasProtobuf } from "./decode.ts";
import { type EncodedField, encodePlanOf } from "./encode-plan.ts";
import { encodeProtobufEvent, encodeProtobufObject } from "./encode.ts";
import { ProtobufError } from "./reader.ts";

const MOST_DEPTH = 6;
const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 });
const whole = fc.integer({ min: 1, max: 2 ** 31 - 1 });

/** Values that say something, by type: what says nothing need not come back. */
const scalars: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: word,
  bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  bool: fc.constant(true),
  int32: fc.oneof(whole, fc.constant(-1)),
  int64: fc.oneof(whole, fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, Number.MAX_SAFE_INTEGER, -5)),
  double: fc.constantFrom(0.5, -1.25, 1e300),
  time: fc.constantFrom("2026-01-15T09:30:00Z", "1969-12-31T23:59:59Z", "0001-01-02T00:00:00Z"),
  microTime: fc.constantFrom("2026-01-15T09:30:00.000001Z", "1969-12-31T23:59:59.900000Z"),
  quantity: fc.constantFrom("500m", "1Gi", "0"),
  intOrString: fc.oneof(word, fc.integer({ min: -5, max: 70_000 })),
  rawJson: fc.constantFrom({ a: [1, null, "ä"] }, { "f:metadata": {} }),
  "apiextensions.v1.JSONSchemaPropsOrBool": fc.boolean(),
  "apiextensions.v1.JSONSchemaPropsOrStringArray": fc.array(word, { minLength: 1, maxLength: 2 }),
  "apiextensions.v1.JSONSchemaPropsOrArray": fc.constant({ type: "string" }),
};

function valueOf({ type }: EncodedField, depth: number): fc.Arbitrary<unknown> {
  if (type.endsWith(".ExtraValue")) return fc.array(word, { minLength: 1, maxLength: 2 });
  return scalars[type] ?? messageOf(encodePlanOf(type), depth + 1);
}

function fieldOf(field: EncodedField, depth: number): fc.Arbitrary<unknown> {
  const value = valueOf(field, depth);
  if (field.shape === "list") return fc.array(value, { minLength: 1, maxLength: 2 });
  return field.shape === "map" ? fc.dictionary(word, value, { minKeys: 1, maxKeys: 2 }) : value;
}

function messageOf(plan: readonly EncodedField[], depth: number): fc.Arbitrary<Record<string, unknown>> {
  const fields = plan.flatMap((field) => field.inline ?? field);
  const inDepth = fields.filter(({ type }) => depth < MOST_DEPTH || !type.includes("."));
  return fc.record(
    Object.fromEntries(inDepth.map((field) => [field.name, fc.memo(() => fieldOf(field, depth))()])),
    { requiredKeys: [] },
  );
}

const kinds = ["v1 Pod", "v1 Node", "v1 Service", "v1 Secret", "v1 PersistentVolume", "apps/v1 Deployment"];
const more = ["batch/v1 CronJob", "v1 Event", "certificates.k8s.io/v1 CertificateSigningRequest"];
const others = ["apiextensions.k8s.io/v1 CustomResourceDefinition", "autoscaling/v2 HorizontalPodAutoscaler"];

test.each([...kinds, ...more, ...others].map((one) => one.split(" ") as [string, string]))(
  "what is written of a %s %s is read again",
  (apiVersion, kind) => {
    expect(hasProtobuf(apiVersion, kind)).toBe(true);
    const name = definitionOf(apiVersion, kind)?.name ?? "";
    const message = messageOf(encodePlanOf(name), 0);
    fc.assert(
      fc.property(message, (fields) => {
        const object = { ...fields, apiVersion, kind };
        const bytes = encodeProtobufObject(object);
        const read = decodeProtobufObject(bytes);
        expect(read).toMatchObject(object);
        expect(encodeProtobufObject(read)).toEqual(bytes);
        expect(decodeProtobufEvent(encodeProtobufEvent("ADDED", object))).toEqual({
          type: "ADDED",
          object: read,
          exact: false,
        });
      }),
      { numRuns: 20 },
    );
  },
);

test("what has no form in protobuf is not written", () => {
  expect(() => encodeProtobufObject({ apiVersion: "example.com/v1", kind: "Wide" })).toThrow(ProtobufError);
});
