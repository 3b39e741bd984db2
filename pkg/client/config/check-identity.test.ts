import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { realClock } from "../../clock/real.ts";
import { CertificateAuthority, type KeyPair } from "../../pki/certificate-authority.ts";
import { checkIdentity } from "./check-identity.ts";
import type { IdentitySource } from "./identity-source.ts";

let directory: string;
let ca: string;
let one: KeyPair;
let other: KeyPair;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "identity-"));
  const authority = await CertificateAuthority.create("test", realClock);
  ca = authority.cert;
  one = await authority.issue({ commonName: "one" });
  other = await authority.issue({ commonName: "other" });
  await writeFile(join(directory, "token"), "abc\n");
});

afterAll(async () => rm(directory, { recursive: true }));

const data = (text: string): { readonly data: Buffer } => ({ data: Buffer.from(text) });

test("an identity that can work passes", async () => {
  await checkIdentity({
    ca: data(ca),
    cert: data(one.cert),
    key: data(one.key),
    token: { file: join(directory, "token") },
  });
  await checkIdentity({});
});

test.each<readonly [string, () => IdentitySource, RegExp]>([
  [
    "a CA that is none",
    () => ({ ca: data("x") }),
    /^the certificate authority is not a certificate in PEM form$/,
  ],
  ["a missing CA", () => ({ ca: { file: "/nowhere" } }), /^the certificate authority cannot be read: ENOENT/],
  [
    "a certificate that is none",
    () => ({ cert: data("x"), key: data(one.key) }),
    /^the client certificate is not a certificate in PEM form$/,
  ],
  [
    "a key that is none",
    () => ({ cert: data(one.cert), key: data("x") }),
    /^the client key is not a private key in PEM form$/,
  ],
  [
    "a certificate and the key of another",
    () => ({ cert: data(one.cert), key: data(other.key) }),
    /^the client certificate does not belong to the client key$/,
  ],
  ["a missing token", () => ({ token: { file: "/nowhere" } }), /^the token cannot be read: ENOENT/],
  ["an empty token", () => ({ token: data(" \n") }), /^the token is empty$/],
])("%s is refused in one line", async (_what, source, message) => {
  await expect(checkIdentity(source())).rejects.toThrow(message);
});
