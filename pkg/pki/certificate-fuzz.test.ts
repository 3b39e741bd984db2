import { X509Certificate } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { inOneGo } from "../api/steps.ts";
import { seededRandom } from "../clock/random.ts";
import { requestDer } from "../../test/harness/certificate-requests.ts";
import { verdictOf } from "../../test/harness/certificate-verdict.ts";
import { randomRequest, spoiled } from "../../test/harness/random-certificate-request.ts";
import { authorityPair } from "../../test/harness/signing-files.ts";
import { STRESS } from "../../test/harness/stress.ts";
import { readPemRequest, readRequest } from "./certificate-request.ts";
import { bitString, objectIdentifier, sequence } from "./der.ts";
import { CertificateError } from "./der-reader.ts";
import { encodePem } from "./pem.ts";
import { checkRequestSignatureNow } from "./signatures.ts";

const pair = authorityPair({ nowMs: Date.UTC(2026, 0, 1), livesMs: 10 ** 12 });
/** The long version tries 100,000 in parts, each of which ends within its limit, and can be tried again alone. */
const PARTS = Array.from({ length: STRESS ? 20 : 1 }, (_, index) => index + 1);
const CASES = STRESS ? 5_000 : 1_500;
/** Promises that are settled at once leave the loop no turn, in which alone a limit is noticed. */
const CASES_OF_A_TURN = 100;

/** The certificate of which this is the part that is signed. */
function certificateOf(content: Buffer): X509Certificate {
  const algorithm = sequence(objectIdentifier("1.2.840.10045.4.3.2"));
  return new X509Certificate(sequence(content, algorithm, bitString(Buffer.from("3006020101020101", "hex"))));
}

async function eachCase(run: (count: number) => void | Promise<void>): Promise<void> {
  for (let count = 0; count < CASES; count++) {
    await run(count);
    if (count % CASES_OF_A_TURN === 0) await nextTurn();
  }
}

describe.each(PARTS)("part %i of requests that were spoiled", (part) => {
  test("on their way: they are refused, unless what was signed has come through", async () => {
    const chance = seededRandom(part);
    // To sign takes ten times as long as to refuse.
    const sent = Array.from({ length: 200 }, () => randomRequest(chance));
    let signed = 0;
    await eachCase(async (count) => {
      const original = sent[count % sent.length] ?? Buffer.alloc(0);
      const der = spoiled(original, chance);
      const verdict = await verdictOf(der, pair);
      if (verdict.length < 20) return;
      signed++;
      const signedPart = (request: Buffer): string =>
        inOneGo(readRequest(request)).form.signed.toString("hex");
      expect(signedPart(der), der.toString("base64")).toBe(signedPart(original));
    });
    expect(signed).toBeLessThan(CASES / 20);
  });

  test("by who signed them: they are read or refused, and what is signed of them can be read", async () => {
    const chance = seededRandom(part);
    let signed = 0;
    await eachCase(async () => {
      const der = randomRequest(chance, (content) => spoiled(content, chance));
      const verdict = await verdictOf(der, pair);
      if (verdict.length < 20) return;
      signed++;
      const content = Buffer.from(verdict, "base64");
      expect(() => certificateOf(content), der.toString("base64")).not.toThrow();
    });
    expect(signed).toBeGreaterThan(10);
  });

  test("as PEM: they are read or refused, and what counts as signed is what was sent", async () => {
    const chance = seededRandom(part);
    const der = requestDer({ commonName: "a", dnsNames: ["b"] });
    const pem = Buffer.from(encodePem("CERTIFICATE REQUEST", der));
    const { signed } = inOneGo(readRequest(der)).form;
    let count = 0;
    await eachCase(() => {
      const text = spoiled(pem, chance).toString("latin1");
      try {
        const request = inOneGo(readPemRequest(text));
        checkRequestSignatureNow(request);
        count++;
        expect(request.form.signed.equals(signed), text).toBe(true);
      } catch (error) {
        expect(error, text).toBeInstanceOf(CertificateError);
      }
    });
    expect(count).toBeGreaterThan(0);
  });
});
