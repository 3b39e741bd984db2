import { createPrivateKey, X509Certificate } from "node:crypto";
import { asJson, child, stringMap, text } from "../../../api/json.ts";
import type { ApiObject } from "../../../api/object.ts";
import type { Draft } from "../kind.ts";

/** A certificate and a key that no server could use. upstream: pkg/registry/core/secret/strategy.go#warningsForSecret */
export function secretWarnings(draft: Draft): readonly string[] {
  if (text(draft, "type") !== "kubernetes.io/tls") return [];
  const data = stringMap(draft, "data");
  const [certificate, key] = ["tls.crt", "tls.key"].map((name) =>
    Buffer.from(data[name] ?? "", "base64").toString(),
  );
  const problem = pairProblem(certificate ?? "", key ?? "");
  return problem === undefined ? [] : [problem];
}

function pairProblem(certificate: string, key: string): string | undefined {
  const isPem = (text: string): boolean => /-----BEGIN [^-]+-----[^]*-----END [^-]+-----/.test(text);
  if (!isPem(certificate)) return "tls: failed to find any PEM data in certificate input";
  if (!isPem(key)) return "tls: failed to find any PEM data in key input";
  try {
    const matches = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
    return matches ? undefined : "tls: private key does not match public key";
  } catch (error) {
    // What is wrong with the bytes of either is told by Go in many ways.
    if (error instanceof Error) return "tls: failed to parse private key";
    throw error;
  }
}

const MOUNTABLE = "kubernetes.io/enforce-mountable-secrets";

/** Only whoever sets the annotation is told. */
export function serviceAccountWarnings(draft: Draft, before: ApiObject | undefined): readonly string[] {
  const old = before === undefined ? {} : stringMap(child(asJson(before), "metadata"), "annotations");
  const isNew = !Object.hasOwn(old, MOUNTABLE);
  if (!isNew || !Object.hasOwn(stringMap(draft.metadata, "annotations"), MOUNTABLE)) return [];
  return [
    `metadata.annotations[${MOUNTABLE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
  ];
}
