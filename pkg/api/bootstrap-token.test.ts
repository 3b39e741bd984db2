import { describe, expect, test } from "vitest";
import { bootstrapTokenExpiry, bootstrapTokenField, bootstrapTokenIdOf } from "./bootstrap-token.ts";
import type { Secret } from "./types/core-v1.gen.ts";

const NOW_MS = Date.UTC(2026, 0, 1);

// upstream: staging/src/k8s.io/cluster-bootstrap/util/secrets/secrets_test.go#TestGetSecretString
test.each<[string, Secret, string]>([
  ["that it has", { metadata: {}, data: { "token-id": base64("bar") } }, "bar"],
  ["that it lacks", { metadata: {}, data: { other: base64("bar") } }, ""],
  ["of a Secret without data", { metadata: {} }, ""],
])("a field %s", (_, secret, expected) => {
  expect(bootstrapTokenField(secret, "id").toString()).toBe(expected);
});

// upstream: staging/src/k8s.io/cluster-bootstrap/util/secrets/secrets_test.go#TestParseSecretName
test.each<[string, string | undefined]>([
  ["bootstrap-token-abc123", "abc123"],
  ["", undefined],
  ["abc123", undefined],
  ["bootstrap-token-", undefined],
  ["bootstrap-token-abc", undefined],
  ["bootstrap-token-abc123ghi", undefined],
  ["bootstrap-token-ABC123", undefined],
  ["bootstrap-token-abc123\n", undefined],
])("the id in the name %j is %s", (name, expected) => {
  expect(bootstrapTokenIdOf(name)).toBe(expected);
});

describe("a token expires", () => {
  test.each<[string, ReturnType<typeof bootstrapTokenExpiry>]>([
    ["", { kind: "never" }],
    ["2026-01-01T00:00:01Z", { kind: "later", afterMs: 1_000 }],
    ["2026-01-01T01:00:01+01:00", { kind: "later", afterMs: 1_000 }],
    ["2026-01-01T00:00:00.5Z", { kind: "later", afterMs: 500 }],
    ["2026-01-01T00:00:00Z", { kind: "expired", reason: "its time is over" }],
    ["2025-12-31T23:59:59Z", { kind: "expired", reason: "its time is over" }],
    ["2026-01-01", { kind: "expired", reason: "its time cannot be read" }],
    ["2026-02-30T00:00:00Z", { kind: "expired", reason: "its time cannot be read" }],
    ["garbage", { kind: "expired", reason: "its time cannot be read" }],
  ])("as %j says", (expiration, expected) => {
    const secret: Secret = { metadata: {}, data: { expiration: base64(expiration) } };
    expect(bootstrapTokenExpiry(secret, NOW_MS)).toEqual(expected);
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
