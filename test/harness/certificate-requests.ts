import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { CertificateSigningRequest } from "../../pkg/api/types/certificates-v1.gen.ts";
import {
  bitString,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  utf8String,
} from "../../pkg/pki/der.ts";
import { encodePem } from "../../pkg/pki/pem.ts";
import { signingWith } from "../../pkg/pki/signatures.ts";

/** What somebody asks for in a request of the tests. */
export interface WantedRequest {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly emailAddresses?: readonly string[];
  /** Of IPv4. */
  readonly ipAddresses?: readonly string[];
  readonly uris?: readonly string[];
  /** A key of P-256 that all requests share, when left out. */
  readonly key?: KeyPairObjects;
  /** Spoils the signature. */
  readonly broken?: boolean;
}

export interface KeyPairObjects {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

let shared: KeyPairObjects | undefined;

export function requestDer(wanted: WantedRequest): Buffer {
  shared ??= generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { key = shared, organizations = [], commonName } = wanted;
  const attribute = (identifier: string, value: string): Buffer =>
    set(sequence(objectIdentifier(identifier), utf8String(value)));
  const names = [
    ...(wanted.dnsNames ?? []).map((name) => tagged(2, Buffer.from(name), false)),
    ...(wanted.emailAddresses ?? []).map((name) => tagged(1, Buffer.from(name), false)),
    ...(wanted.ipAddresses ?? []).map((each) => tagged(7, Buffer.from(each.split(".").map(Number)), false)),
    ...(wanted.uris ?? []).map((uri) => tagged(6, Buffer.from(uri), false)),
  ];
  const extensions = sequence(sequence(objectIdentifier("2.5.29.17"), octetString(sequence(...names))));
  const content = sequence(
    integer(Buffer.of(0)),
    sequence(
      ...organizations.map((name) => attribute("2.5.4.10", name)),
      ...(commonName === undefined ? [] : [attribute("2.5.4.3", commonName)]),
    ),
    key.publicKey.export({ type: "spki", format: "der" }),
    tagged(
      0,
      names.length === 0
        ? Buffer.alloc(0)
        : sequence(objectIdentifier("1.2.840.113549.1.9.14"), set(extensions)),
      true,
    ),
  );
  const { digest, algorithm } = signingWith(key.privateKey);
  const signature = sign(digest, content, { key: key.privateKey, dsaEncoding: "der" });
  // The last byte is one of a number.
  if (wanted.broken === true)
    signature.writeUInt8(signature.readUInt8(signature.length - 1) ^ 1, signature.length - 1);
  return sequence(content, algorithm, bitString(signature));
}

/** As `spec.request` has it. */
export function requestField(wanted: WantedRequest): string {
  return Buffer.from(encodePem("CERTIFICATE REQUEST", requestDer(wanted))).toString("base64");
}

export interface WantedSigning extends WantedRequest {
  readonly name: string;
  readonly signerName: string;
  readonly usages: readonly string[];
  readonly expirationSeconds?: number;
}

export function signingRequest(wanted: WantedSigning): CertificateSigningRequest {
  const { name, signerName, usages, expirationSeconds } = wanted;
  return {
    metadata: { name },
    spec: {
      request: requestField(wanted),
      signerName,
      usages,
      ...(expirationSeconds !== undefined && { expirationSeconds }),
    },
  };
}

/** A request as kubelets make it when they join. */
export function kubeletRequest(node: string, wanted: Partial<WantedSigning> = {}): CertificateSigningRequest {
  return signingRequest({
    name: `csr-${node}`,
    commonName: `system:node:${node}`,
    organizations: ["system:nodes"],
    signerName: "kubernetes.io/kube-apiserver-client-kubelet",
    usages: ["digital signature", "key encipherment", "client auth"],
    ...wanted,
  });
}
