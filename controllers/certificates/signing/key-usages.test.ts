import { expect, test } from "vitest";
import { keyUsagesOf } from "./key-usages.ts";

// upstream: pkg/controller/certificates/authority/policies_test.go#TestKeyUsagesFromStrings
test.each<[readonly string[], readonly number[], readonly string[]]>([
  [["signing"], [0], []],
  [["client auth"], [], ["1.3.6.1.5.5.7.3.2"]],
  [["client auth", "client auth"], [], ["1.3.6.1.5.5.7.3.2"]],
  [["cert sign", "encipher only"], [5, 7], []],
  [
    ["ocsp signing", "crl sign", "s/mime", "content commitment"],
    [1, 6],
    ["1.3.6.1.5.5.7.3.4", "1.3.6.1.5.5.7.3.9"],
  ],
  [["s/mime", "email protection", "digital signature", "signing"], [0], ["1.3.6.1.5.5.7.3.4"]],
  [["netscape sgc", "any", "server auth"], [], ["2.5.29.37.0", "1.3.6.1.5.5.7.3.1", "2.16.840.1.113730.4.1"]],
])("%j", (usages, keyUsages, extendedKeyUsages) => {
  expect(keyUsagesOf(usages)).toEqual({ keyUsages, extendedKeyUsages });
});

test("usages that mean nothing are named", () => {
  expect(keyUsagesOf(["unsupported string", "signing", "toString"])).toBe(
    'unrecognized usage values: ["unsupported string" "toString"]',
  );
});
