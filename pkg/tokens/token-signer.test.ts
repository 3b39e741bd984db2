import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { keyIdOf, tokenSigner } from "./token-signer.ts";

const rsa = (modulusLength: number): KeyObject => generateKeyPairSync("rsa", { modulusLength }).privateKey;
const ec = (namedCurve: string): KeyObject => generateKeyPairSync("ec", { namedCurve }).privateKey;

describe("a token", () => {
  test.each<[string, KeyObject]>([
    ["RS256", rsa(2_048)],
    ["ES256", ec("P-256")],
    ["ES384", ec("P-384")],
    ["ES512", ec("P-521")],
  ])("is signed with %s and says so", async (alg, key) => {
    const signer = tokenSigner(key);
    const token = signer.sign({ iss: "someone", sub: "somebody" });
    const { payload, protectedHeader } = await jwtVerify(token, createPublicKey(key));
    expect(protectedHeader).toEqual({ alg, kid: signer.keyId });
    expect(payload).toEqual({ iss: "someone", sub: "somebody" });
  });

  test("of an RSA key is the same for the same claims", () => {
    const signer = tokenSigner(rsa(2_048));
    expect(signer.sign({ sub: "a" })).toBe(signer.sign({ sub: "a" }));
  });
});

// upstream: pkg/serviceaccount/keyid_test.go#TestKeyIDStability
test("the id of a key never changes", () => {
  const n = [
    "249XwEo9k4tM8fMxV7zxOhcrP-WvXn917koM5Qr2ZXs4vo26e4ytdlrV0bQ9SlcLpQVSYjIxNfhTZdDt-ecIzshKuv1gKIxbbLQM",
    "OuK1eA_4HALyEkFgmS_tleLJrhc65tKPMGD-pKQ_xhmzRuCG51RoiMgbQxaCyYxGfNLpLAZK9L0Tctv9a0mJmGIYnIOQM4kC1A1I",
    "1n3EsXMWmeJUj7OTh_AjjCnMnkgvKT2tpKxYQ59PgDgU8Ssc7RDSmSkLxnrv-OrN80j6xrw0OjEiB4Ycr0PqfzZcvy8efTtFQ_Jn",
    "c4Bp1zUtFXt7-QeevePtQ2EcyELXE0i63T1CujRMWw",
  ].join("");
  const key = createPublicKey({ key: { kty: "RSA", n, e: "AQAB" }, format: "jwk" });
  expect(keyIdOf(key)).toBe("JHJehTTTZlsspKHT-GaJxK7Kd1NQgZJu3fyK6K_QDYU");
});

test.each<[string, KeyObject, string]>([
  ["a key on another curve", ec("secp256k1"), "the curve secp256k1 cannot be used"],
  ["a key of another kind", generateKeyPairSync("ed25519").privateKey, "a key of type ed25519 cannot sign"],
])("%s is refused", (_, key, message) => {
  expect(() => tokenSigner(key)).toThrow(message);
});
