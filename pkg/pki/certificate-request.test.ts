import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { inOneGo } from "../api/steps.ts";
import { requestDer } from "../../test/harness/certificate-requests.ts";
import { sameVerdict, verdictOf } from "../../test/harness/certificate-verdict.ts";
import { authorityPair } from "../../test/harness/signing-files.ts";
import { readPemRequest, readRequest } from "./certificate-request.ts";
import {
  bitString,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  utf8String,
} from "./der.ts";
import { CertificateError } from "./der-reader.ts";
import { encodePem } from "./pem.ts";

const pair = authorityPair({ nowMs: Date.UTC(2026, 0, 1), livesMs: 10 ** 12 });

describe("what Go makes of requests", () => {
  const file = new URL("recorded-requests.json.br", import.meta.url);
  const { requests, verdicts } = JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as {
    readonly requests: readonly string[];
    readonly verdicts: readonly string[];
  };

  test("is made of them here: the same are refused, and the others become the same certificates", async () => {
    const kinds = new Map<string, number>();
    for (const [index, der] of requests.entries()) {
      const theirs = verdicts[index] ?? "";
      const ours = await verdictOf(Buffer.from(der, "base64"), pair);
      expect(sameVerdict(ours, theirs), `${der}: ${ours} is not ${theirs}`).toBe(true);
      const kind = theirs.length > 20 ? "signed" : theirs;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    expect(kinds.get("signed")).toBeGreaterThan(100);
    expect(kinds.get("parse")).toBeGreaterThan(50);
    expect(kinds.get("signature")).toBeGreaterThan(5);
  });
});

test("what stands around the block counts for nothing, and what is another block is refused", () => {
  const pem = encodePem("CERTIFICATE REQUEST", requestDer({ commonName: "a" }));
  const nameOf = (text: string): string => inOneGo(readPemRequest(text)).commonName;
  expect(nameOf(`before\n${pem}after`)).toBe("a");
  expect(nameOf(pem.replaceAll("\n", "\r\n"))).toBe("a");
  expect(() => nameOf(encodePem("CERTIFICATE", requestDer({})))).toThrow(
    "PEM block type must be CERTIFICATE REQUEST",
  );
  expect(() => nameOf("")).toThrow("PEM block type must be CERTIFICATE REQUEST");
  expect(() => nameOf(encodePem("NEW CERTIFICATE REQUEST", requestDer({})))).toThrow(CertificateError);
});

test("a public key is written in one form, whatever form it came in", () => {
  const { publicKey } = inOneGo(readRequest(requestDer({})));
  expect(createPublicKey({ key: publicKey?.info ?? Buffer.alloc(0), format: "der", type: "spki" }).type).toBe(
    "public",
  );
});

/** A request that nobody has signed, of these attributes, and with something odd in place of its version. */
function unsigned(attributes: Buffer, version = integer(Buffer.of(0))): Buffer {
  const key = createPublicKey(pair.cert).export({ type: "spki", format: "der" });
  const content = sequence(version, sequence(), key, tagged(0, attributes, true));
  return sequence(content, sequence(objectIdentifier("1.2.840.10045.4.3.2")), bitString(Buffer.alloc(64)));
}

describe("DER is read strictly", () => {
  const extension = sequence(objectIdentifier("1.2.3"), octetString(Buffer.alloc(0)));
  const requested = (...extensions: readonly Buffer[]): Buffer =>
    sequence(objectIdentifier("1.2.840.113549.1.9.14"), set(sequence(...extensions)));

  test.each<[string, Buffer]>([
    ["an extension twice", unsigned(requested(extension, extension))],
    ["an extension in two attributes", unsigned(Buffer.concat([requested(extension), requested(extension)]))],
    ["a number that is padded", unsigned(requested(extension), Buffer.from("02020000", "hex"))],
    ["a number of nine bytes", unsigned(requested(extension), Buffer.from("0209010000000000000000", "hex"))],
    ["a number of no bytes", unsigned(requested(extension), Buffer.from("0200", "hex"))],
    ["a length in more bytes than it takes", unsigned(requested(extension), Buffer.from("02810100", "hex"))],
    ["a length that begins with zeros", unsigned(requested(extension), Buffer.from("0282000100", "hex"))],
    ["no end", unsigned(requested(extension), Buffer.from("02800000", "hex"))],
    [
      "a boolean of one",
      unsigned(
        requested(
          sequence(objectIdentifier("1.2.3"), Buffer.from("010101", "hex"), octetString(Buffer.alloc(0))),
        ),
      ),
    ],
    ["something behind it", Buffer.concat([unsigned(requested(extension)), Buffer.of(0)])],
  ])("%s is refused", (_, der) => {
    expect(() => inOneGo(readRequest(der))).toThrow(CertificateError);
  });

  test.each<[string, Buffer]>([
    ["an extension", unsigned(requested(extension))],
    ["an attribute that is none", unsigned(Buffer.from("0500", "hex"))],
    ["a version of the future", unsigned(requested(extension), integer(Buffer.of(9)))],
  ])("%s is taken", (_, der) => {
    expect(inOneGo(readRequest(der)).commonName).toBe("");
  });
});

/** A request of a megabyte, of as many small elements as fit. */
function largeRequest(what: "names" | "subject" | "attributes"): Buffer {
  const key = createPublicKey(pair.cert).export({ type: "spki", format: "der" });
  const filled = (element: Buffer): Buffer =>
    Buffer.concat(Array.from({ length: 1_000_000 / element.length }, () => element));
  const names = what === "names" ? filled(tagged(2, Buffer.alloc(0), false)) : Buffer.alloc(0);
  const subject =
    what === "subject"
      ? filled(set(sequence(objectIdentifier("2.5.4.10"), utf8String(""))))
      : Buffer.alloc(0);
  const others = what === "attributes" ? filled(Buffer.from("0500", "hex")) : Buffer.alloc(0);
  const extensions = sequence(sequence(objectIdentifier("2.5.29.17"), octetString(sequence(names))));
  const requested = sequence(objectIdentifier("1.2.840.113549.1.9.14"), set(extensions));
  const content = sequence(
    integer(Buffer.of(0)),
    sequence(subject),
    key,
    tagged(0, Buffer.concat([requested, others]), true),
  );
  return sequence(content, sequence(objectIdentifier("1.2.840.10045.4.3.2")), bitString(Buffer.alloc(64)));
}

test.each(["names", "subject", "attributes"] as const)(
  "a request of a megabyte of %s is read in many steps",
  (what) => {
    const steps = readRequest(largeRequest(what));
    let count = 0;
    while (steps.next().done !== true) count++;
    expect(count).toBeGreaterThan(1_000);
  },
);
