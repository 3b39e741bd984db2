import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realClock } from "../../pkg/clock/real.ts";
import { CertificateAuthority } from "../../pkg/pki/certificate-authority.ts";
import { tokenSigner } from "../../pkg/tokens/token-signer.ts";
import { clusterSecrets } from "./cluster-secrets.ts";

let directory = "";
let ca = "";
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "kcm-secrets-"));
  ca = (await CertificateAuthority.create("test", realClock)).cert;
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const none = { concurrentTokenSyncs: 5, rootCaFile: "", privateKeyFile: "" };

describe("the root CA", () => {
  test("is that of its file, before that of the kubeconfig", () => {
    const bundle = `# two of them\n${ca}\n${ca}`;
    const secrets = clusterSecrets(
      { ...none, rootCaFile: file("ca.crt", bundle) },
      { data: Buffer.from("other") },
    );
    expect(secrets.rootCa()).toBe(bundle);
  });

  test("is that of the kubeconfig, in it or in a file, or none", () => {
    expect(clusterSecrets(none, { data: Buffer.from("in it") }).rootCa()).toBe("in it");
    expect(clusterSecrets(none, { file: file("kubeconfig-ca.crt", "in a file") }).rootCa()).toBe("in a file");
    expect(clusterSecrets(none, undefined).rootCa()).toBe("");
  });

  test("is read when it is asked for", () => {
    const path = file("late.crt", "not yet");
    const secrets = clusterSecrets({ ...none, rootCaFile: path }, undefined);
    file("late.crt", ca);
    expect(secrets.rootCa()).toBe(ca);
  });

  test.each<[string, string, RegExp]>([
    ["no certificate", "nothing", /^--root-ca-file: there is no certificate in /],
    [
      "a broken certificate",
      "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
      /^--root-ca-file: /,
    ],
  ])("of a file with %s is an error that names the flag", (_, content, message) => {
    const secrets = clusterSecrets({ ...none, rootCaFile: file("bad.crt", content) }, undefined);
    expect(secrets.rootCa).toThrow(message);
  });

  test("of a file that is not there is an error that names the flag", () => {
    expect(clusterSecrets({ ...none, rootCaFile: "/none" }, undefined).rootCa).toThrow(
      /^--root-ca-file: ENOENT/,
    );
  });
});

describe("tokens", () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const pem = (key: KeyObject, type: "pkcs1" | "pkcs8" | "sec1"): string =>
    key.export({ type, format: "pem" });
  const parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";

  test.each<[string, KeyObject, string]>([
    ["RSA in PKCS #1", rsa, pem(rsa, "pkcs1")],
    ["RSA in PKCS #8", rsa, pem(rsa, "pkcs8")],
    ["ECDSA in SEC 1", ec, pem(ec, "sec1")],
    ["ECDSA in SEC 1 after its parameters, as openssl writes it", ec, parameters + pem(ec, "sec1")],
    ["ECDSA in PKCS #8", ec, pem(ec, "pkcs8")],
  ])("are signed with a key that is %s", (_, key, content) => {
    const secrets = clusterSecrets({ ...none, privateKeyFile: file("key.pem", content) }, undefined);
    expect(secrets.tokenSigner?.().keyId).toBe(tokenSigner(key).keyId);
  });

  test("are not made without a key", () => {
    expect(clusterSecrets(none, undefined).tokenSigner).toBeUndefined();
  });

  test.each<[string, string]>([
    ["holds no key", "nothing"],
    ["holds a key of another kind", pem(generateKeyPairSync("ed25519").privateKey, "pkcs8")],
  ])("a file that %s is an error that names the flag", (_, content) => {
    const secrets = clusterSecrets({ ...none, privateKeyFile: file("bad.pem", content) }, undefined);
    expect(secrets.tokenSigner).toThrow(/^--service-account-private-key-file: /);
  });
});

function file(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}
