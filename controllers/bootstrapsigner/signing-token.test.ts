import { describe, expect, test } from "vitest";
import { asStored } from "../../test/harness/stored.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Secret } from "../../pkg/api/types/core-v1.gen.ts";
import { signingToken } from "./signing-token.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const ID = "abc123";
const SECRET = "tokenSecret";

describe("a token", () => {
  // upstream: pkg/controller/bootstrap/util_test.go#TestValidateSecretForSigning, TestValidateSecret
  test.for<[string, string, string, string, string, boolean]>([
    ["that never expires signs", ID, SECRET, "true", "", true],
    ["that has time left signs", ID, SECRET, "true", formatTime(NOW_MS + HOUR_MS), true],
    ["that has expired does not sign", ID, SECRET, "true", formatTime(NOW_MS - HOUR_MS), false],
    ["whose time cannot be read does not sign", ID, SECRET, "true", "garbage", false],
    ["of no known use and time does not sign", ID, SECRET, "", "garbage", false],
    ["of no known use does not sign", ID, SECRET, "", "", false],
    ["without id does not sign", "", SECRET, "true", "", false],
    ["without secret does not sign", ID, "", "true", "", false],
    ["for another use does not sign", ID, SECRET, "True", "", false],
  ])("%s", ([, id, secret, signing, expiration, usable]) => {
    const token = tokenSecret(`bootstrap-token-${ID}`, {
      "token-id": id,
      "token-secret": secret,
      "usage-bootstrap-signing": signing,
      expiration,
    });
    const expected = { kind: "usable", id: ID, secret: Buffer.from(SECRET) };
    expect(signingToken(token, NOW_MS)).toEqual(
      usable ? expected : { kind: "unusable", reason: expect.any(String) as string },
    );
  });

  // upstream: pkg/controller/bootstrap/util_test.go#TestBadSecretName, TestMismatchSecretName
  test.each([
    ["that is not named as a token does not sign", ID, "its name is not that of a token"],
    ["with the name of another does not sign", "bootstrap-token-def456", "its id is not that of its name"],
  ])("%s", (_, name, reason) => {
    const data = { "token-id": ID, "token-secret": SECRET, "usage-bootstrap-signing": "true" };
    expect(signingToken(tokenSecret(name, data), NOW_MS)).toEqual({ kind: "unusable", reason });
  });

  test("whose secret is no text signs with its bytes", () => {
    const token = tokenSecret(`bootstrap-token-${ID}`, {
      "token-id": ID,
      "usage-bootstrap-signing": "true",
    });
    const data = { ...token.data, "token-secret": "/wD+" };
    const secret = Buffer.from([0xff, 0x00, 0xfe]);
    expect(signingToken({ ...token, data }, NOW_MS)).toEqual({ kind: "usable", id: ID, secret });
  });
});

function tokenSecret(name: string, texts: Readonly<Record<string, string>>): Stored<Secret> {
  const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return asStored<Secret>({
    metadata: { name, namespace: "kube-system" },
    type: "bootstrap.kubernetes.io/token",
    data: Object.fromEntries(data) as Record<string, string>,
  });
}
