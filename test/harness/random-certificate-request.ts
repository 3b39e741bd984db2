import { generateKeyPairSync, constants, type KeyObject, sign } from "node:crypto";
import type { Random } from "../../pkg/clock/random.ts";
import {
  bitString,
  boolean,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  utf8String,
} from "../../pkg/pki/der.ts";
import { type SignatureName, signatures } from "./odd-certificate.ts";

export type Chance = Pick<Random, "next">;

const int = (chance: Chance, below: number): number => Math.floor(chance.next() * below);
function pick<T>(chance: Chance, from: readonly [T, ...T[]]): T {
  return from[int(chance, from.length)] ?? from[0];
}
const some = <T>(chance: Chance, most: number, make: () => T): T[] =>
  Array.from({ length: int(chance, most + 1) }, make);

interface RequestKey {
  readonly privateKey: KeyObject;
  readonly info: Buffer;
  readonly algorithms: readonly [SignatureName, ...SignatureName[]];
}

let keys: readonly [RequestKey, ...RequestKey[]] | undefined;

/** A few keys of every kind: making them takes longer than all else. */
function requestKeys(): readonly [RequestKey, ...RequestKey[]] {
  const rsa = (modulusLength: number): RequestKey =>
    requestKey(generateKeyPairSync("rsa", { modulusLength }), [
      "rsa-sha256",
      "rsa-sha384",
      "rsa-sha512",
      "rsa-sha1",
      "pss-sha256",
      "pss-sha384",
    ]);
  const ec = (namedCurve: string): RequestKey =>
    requestKey(generateKeyPairSync("ec", { namedCurve }), ["ec-sha256", "ec-sha384", "ec-sha512", "ec-sha1"]);
  keys ??= [
    ec("P-256"),
    ec("P-256"),
    ec("secp224r1"),
    ec("P-384"),
    ec("P-521"),
    rsa(1_024),
    rsa(2_048),
    requestKey(generateKeyPairSync("ed25519"), ["ed25519"]),
  ];
  return keys;
}

function requestKey(
  { privateKey, publicKey }: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
  algorithms: RequestKey["algorithms"],
): RequestKey {
  return { privateKey, info: publicKey.export({ type: "spki", format: "der" }), algorithms };
}

const ATTRIBUTES = [
  "2.5.4.3",
  "2.5.4.3",
  "2.5.4.10",
  "2.5.4.10",
  "2.5.4.11",
  "2.5.4.5",
  "2.5.4.6",
  "2.5.4.7",
  "2.5.4.8",
  "2.5.4.9",
  "2.5.4.17",
  "2.5.4.4",
  "1.2.840.113549.1.9.1",
] as const;
const WORDS = [
  "system:nodes",
  "system:node:a",
  "Zürich",
  "a*b",
  "a&b",
  "",
  "x y",
  "日本",
  "devs",
  "a_b",
  "0",
] as const;
const URIS = [
  "spiffe://cluster.local/ns/default/sa/web",
  "HTTP://Example.com/a b?c=d#e",
  "https://u:p@host:80/%7euser",
  "urn:x:y?q",
  "mailto:",
  "/only/path",
  "//host/path",
  "http://[::1]:80/",
  "http://host:1:2/",
  "postgres://a:1,b:2/",
  "http://a..b/",
  "http://a%41/",
  "x:///p",
  "http://h/%zz",
  "?",
  "a?",
  "*",
  "http://h?a?b#",
  "http://h/[x]{y}",
] as const;

const stringElement = (tag: number, content: Buffer): Buffer => sized(tag, content);
function sized(tag: number, content: Buffer): Buffer {
  const whole = octetString(content);
  whole[0] = tag;
  return whole;
}

function randomString(chance: Chance): Buffer {
  const word = pick(chance, WORDS);
  switch (int(chance, 14)) {
    case 0:
      return stringElement(0x13, Buffer.from(word, "latin1"));
    case 1:
      return stringElement(0x16, Buffer.from(word, "latin1"));
    case 2:
      return stringElement(0x14, Buffer.from(word, "latin1"));
    case 3:
      return stringElement(0x1e, Buffer.from(word, "utf16le").swap16());
    case 4:
      return stringElement(0x12, Buffer.from(String(int(chance, 1_000))));
    case 5:
      return pick(chance, [
        integer(Buffer.of(int(chance, 128))),
        boolean(true),
        octetString(Buffer.from(word)),
        sized(0x17, Buffer.from("260101000000Z")),
        sized(0x18, Buffer.from("20260230000000Z")),
        sized(0x1b, Buffer.from(word)),
      ]);
    default:
      return utf8String(word);
  }
}

function randomSubject(chance: Chance): Buffer {
  const attribute = (): Buffer => sequence(objectIdentifier(pick(chance, ATTRIBUTES)), randomString(chance));
  return sequence(
    ...some(chance, 4, () => set(attribute(), ...some(chance, chance.next() < 0.2 ? 2 : 0, attribute))),
  );
}

function randomName(chance: Chance): Buffer {
  switch (int(chance, 6)) {
    case 0:
      return tagged(1, Buffer.from(pick(chance, ["a@b", "", "ü@x", "no mail"]), "latin1"), false);
    case 1:
      return tagged(
        7,
        Buffer.from(
          pick(chance, [
            "0a000001",
            `${"00".repeat(10)}ffff0a000001`,
            `20010db8${"00".repeat(12)}`,
            "0a0000",
          ]),
          "hex",
        ),
        false,
      );
    case 2:
      return tagged(6, Buffer.from(pick(chance, URIS), "latin1"), false);
    case 3:
      return tagged(pick(chance, [0, 4, 8]), Buffer.from("0500", "hex"), true);
    default:
      return tagged(2, Buffer.from(pick(chance, ["a.example", "*.b", "", "A.B", "ä"]), "latin1"), false);
  }
}

function randomExtensions(chance: Chance): Buffer {
  const one = (identifier: string, value: Buffer): Buffer =>
    sequence(
      objectIdentifier(identifier),
      ...(chance.next() < 0.2 ? [boolean(true)] : []),
      octetString(value),
    );
  const names = (): Buffer => one("2.5.29.17", sequence(...some(chance, 4, () => randomName(chance))));
  const others = (): Buffer =>
    pick(chance, [
      one("2.5.29.15", bitString(Buffer.of(0x80), 7)),
      one("2.5.29.19", sequence(boolean(true))),
      one("1.2.3.4", Buffer.from("anything")),
    ]);
  return sequence(...(chance.next() < 0.8 ? [names()] : []), ...some(chance, 1, others));
}

function randomAttributes(chance: Chance): readonly Buffer[] {
  const requested = (): Buffer =>
    sequence(objectIdentifier("1.2.840.113549.1.9.14"), set(randomExtensions(chance)));
  const password = (): Buffer =>
    sequence(objectIdentifier("1.2.840.113549.1.9.7"), set(utf8String("secret")));
  return [
    ...(chance.next() < 0.8 ? [requested()] : []),
    ...some(chance, 1, password),
    ...(chance.next() < 0.05 ? [requested()] : []),
    ...(chance.next() < 0.02 ? [Buffer.from("0500", "hex")] : []),
  ];
}

/** The DER of a request, signed by its key: most are good, some are wrong in a way that only reading them shows. */
export function randomRequest(
  chance: Chance,
  spoil: (signed: Buffer) => Buffer = (signed) => signed,
): Buffer {
  const key = pick(chance, requestKeys());
  const content = spoil(
    sequence(
      integer(Buffer.of(0)),
      randomSubject(chance),
      key.info,
      tagged(0, Buffer.concat([...randomAttributes(chance)]), true),
    ),
  );
  const { digest, algorithm, salt } = {
    salt: undefined,
    digest: undefined,
    ...signatures[pick(chance, key.algorithms)],
  };
  const padding = salt === undefined ? {} : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: salt };
  const signature = sign(digest, content, { key: key.privateKey, dsaEncoding: "der", ...padding });
  return sequence(content, algorithm, bitString(signature));
}

/** The bytes with a few mistakes in them. */
export function spoiled(bytes: Buffer, chance: Chance): Buffer {
  let result = Buffer.from(bytes);
  for (let count = 1 + int(chance, 3); count > 0; count--) {
    const at = int(chance, result.length);
    const before = result.subarray(0, at);
    switch (int(chance, 5)) {
      case 0:
        result = Buffer.concat([before, result.subarray(at + 1 + int(chance, 4))]);
        break;
      case 1:
        result = Buffer.concat([
          before,
          Buffer.from(some(chance, 4, () => int(chance, 256))),
          result.subarray(at),
        ]);
        break;
      case 2:
        result = Buffer.concat([before, result.subarray(int(chance, result.length))]);
        break;
      default:
        if (at < result.length)
          result[at] = chance.next() < 0.5 ? int(chance, 256) : (result[at] ?? 0) ^ (1 << int(chance, 8));
    }
  }
  return result;
}
