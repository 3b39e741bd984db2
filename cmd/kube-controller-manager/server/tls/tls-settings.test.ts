import { createSecureContext } from "node:tls";
import { describe, expect, test } from "vitest";
import { assembleOptions } from "../../options/parse.ts";
import { tlsSettings, type TlsSettings } from "./tls-settings.ts";

const defaults = assembleOptions(new Map()).secureServing;

function settingsOf(changes: Partial<typeof defaults>, warnings: string[] = []): TlsSettings {
  return tlsSettings({ ...defaults, ...changes }, (message) => void warnings.push(message));
}

/** As a server of Go 1.26 takes them, asked by openssl for each suite that there is. */
const DEFAULTS = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
  "ECDHE-ECDSA-AES128-SHA",
  "ECDHE-RSA-AES128-SHA",
  "ECDHE-ECDSA-AES256-SHA",
  "ECDHE-RSA-AES256-SHA",
].join(":");

const TLS13 = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

describe("settings of the flags", () => {
  test.each<[Partial<typeof defaults>, TlsSettings]>([
    [{}, { minVersion: "TLSv1.2", ciphers: `${TLS13}:${DEFAULTS}` }],
    [{ tlsMinVersion: "VersionTLS10" }, { minVersion: "TLSv1", ciphers: `${TLS13}:${DEFAULTS}:@SECLEVEL=0` }],
    [{ tlsMinVersion: "VersionTLS13" }, { minVersion: "TLSv1.3", ciphers: `${TLS13}:${DEFAULTS}` }],
    [
      { tlsCipherSuites: ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"] },
      { minVersion: "TLSv1.2", ciphers: `${TLS13}:ECDHE-RSA-AES128-GCM-SHA256` },
    ],
    [
      {
        tlsCipherSuites: [
          "TLS_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        ],
      },
      { minVersion: "TLSv1.2", ciphers: `${TLS13}:ECDHE-RSA-CHACHA20-POLY1305` },
    ],
    [
      { tlsCurvePreferences: [4588, 29, 23, 24, 25] },
      {
        minVersion: "TLSv1.2",
        ciphers: `${TLS13}:${DEFAULTS}`,
        ecdhCurve: "X25519MLKEM768:X25519:P-256:P-384:P-521",
      },
    ],
  ])("%j", (changes, settings) => {
    expect(settingsOf(changes)).toEqual(settings);
    expect(() => createSecureContext(settings)).not.toThrow();
  });

  test.each<[Partial<typeof defaults>, string]>([
    [{ tlsCipherSuites: ["TLS_NOPE"] }, "--tls-cipher-suites: cipher suite TLS_NOPE does not exist"],
    [{ tlsCurvePreferences: [7] }, "--tls-curve-preferences: unknown curve 7"],
    [{ tlsMinVersion: "TLS1.2" }, '--tls-min-version: unknown tls version "TLS1.2"'],
  ])("%j is refused", (changes, message) => {
    expect(() => settingsOf(changes)).toThrow(message);
  });

  test("an insecure suite is taken with a warning", () => {
    const warnings: string[] = [];
    settingsOf({ tlsCipherSuites: ["TLS_RSA_WITH_AES_128_CBC_SHA"] }, warnings);
    expect(warnings).toEqual(["--tls-cipher-suites: cipher suite TLS_RSA_WITH_AES_128_CBC_SHA is insecure"]);
  });

  test("a suite that OpenSSL has given up is left out with a warning", () => {
    const warnings: string[] = [];
    const names = ["TLS_RSA_WITH_3DES_EDE_CBC_SHA", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"];
    const settings = settingsOf({ tlsCipherSuites: names }, warnings);
    expect(settings.ciphers).toBe(`${TLS13}:ECDHE-RSA-AES128-GCM-SHA256`);
    expect(warnings).toEqual([
      "--tls-cipher-suites: cipher suite TLS_RSA_WITH_3DES_EDE_CBC_SHA is insecure",
      "--tls-cipher-suites: cipher suite TLS_RSA_WITH_3DES_EDE_CBC_SHA is left out: it is no part of this build of OpenSSL",
    ]);
    expect(() => createSecureContext(settings)).not.toThrow();
  });
});
