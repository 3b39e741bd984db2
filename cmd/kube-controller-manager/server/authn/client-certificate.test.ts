import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { noMetrics } from "../../../../pkg/metrics/metrics.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import type { Subject } from "../../../../pkg/pki/certificate.ts";
import { CertificateAuthority } from "../../../../pkg/pki/certificate-authority.ts";
import { CaBundle } from "../x509/ca-bundle.ts";
import { clientCertificates } from "./client-certificate.ts";
import { peerRequest } from "../peer-request.ts";
import { requestHeaders, type RequestHeaderSettings } from "./request-header.ts";

const authority = await CertificateAuthority.create("clients", realClock);
const stranger = await CertificateAuthority.create("strangers", realClock);
const bundle = new CaBundle(authority.cert);

async function certificate(subject: Subject, by = authority): Promise<X509Certificate> {
  return new X509Certificate((await by.issue(subject)).cert);
}

const front = await certificate({ commonName: "front" });

describe("client certificates", () => {
  const parts = { clock: realClock, metrics: noMetrics, readUid: true };
  const users = clientCertificates({ ...parts, authorities: () => bundle });

  test("the common name is the user, organizations are the groups", async () => {
    const jane = await certificate({ commonName: "jane, the\nadmin", organizations: ["a+b", "c"] });
    const fingerprint = jane.fingerprint256.replaceAll(":", "").toLowerCase();
    await expect(users(peerRequest([], [jane]))).resolves.toEqual({
      name: "jane, the\nadmin",
      groups: ["a+b", "c"],
      extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
    });
  });

  test("without a certificate, or without authorities, nobody is known", async () => {
    const jane = await certificate({ commonName: "jane" });
    await expect(users(peerRequest([], []))).resolves.toBeUndefined();
    const none = clientCertificates({ ...parts, authorities: () => undefined });
    await expect(none(peerRequest([], [jane]))).resolves.toBeUndefined();
  });

  test("a certificate of others is refused", async () => {
    const jane = await certificate({ commonName: "jane" }, stranger);
    await expect(users(peerRequest([], [jane]))).rejects.toThrow("signed by an unknown authority");
  });
});

describe("users in the headers of a proxy", () => {
  const settings: RequestHeaderSettings = {
    authorities: bundle,
    allowedNames: ["front"],
    usernameHeaders: ["X-Remote-User", "X-Other-User"],
    uidHeaders: ["X-Remote-Uid"],
    groupHeaders: ["X-Remote-Group", "X-Other-Group"],
    extraHeaderPrefixes: ["X-Remote-Extra-", "X-Other-"],
  };
  const users = requestHeaders(() => settings, realClock);

  test("all that the headers say", async () => {
    const headers = [
      "x-other-USER",
      "jane",
      "X-Remote-Uid",
      "7",
      "X-Remote-Group",
      "a",
      "X-Remote-Group",
      "b",
    ];
    const more = [
      "X-Other-Group",
      "c",
      "X-Remote-Extra-Some%2fKey",
      "1",
      "x-remote-extra-some%2fkey",
      "2",
      "X-Remote-Extra-%zz",
      "3",
    ];
    await expect(users(peerRequest([...headers, ...more], [front]))).resolves.toEqual({
      name: "jane",
      uid: "7",
      groups: ["a", "b", "c"],
      extra: { "some/key": ["1", "2"], "%zz": ["3"], user: ["jane"], group: ["c"] },
    });
  });

  test("an empty header is no user", async () => {
    await expect(users(peerRequest(["X-Remote-User", ""], [front]))).resolves.toBeUndefined();
  });

  test("headers without a certificate count for nothing", async () => {
    await expect(users(peerRequest(["X-Remote-User", "root"], []))).resolves.toBeUndefined();
  });

  test("a proxy that is not in the list is refused, however good its certificate", async () => {
    const other = await certificate({ commonName: "other" });
    const attempt = users(peerRequest(["X-Remote-User", "root"], [other]));
    await expect(attempt).rejects.toThrow('the common name "other" is not in the allowed list');
    const any = requestHeaders(() => ({ ...settings, allowedNames: [] }), realClock);
    await expect(any(peerRequest(["X-Remote-User", "root"], [other]))).resolves.toMatchObject({
      name: "root",
    });
  });

  test("a proxy of unknown authority is refused", async () => {
    const forged = await certificate({ commonName: "front" }, stranger);
    await expect(users(peerRequest(["X-Remote-User", "root"], [forged]))).rejects.toThrow(
      "unknown authority",
    );
  });
});
