import { dumpPodTemplate } from "./go-dump.ts";
import { nameWithSuffix, safeEncode } from "./names.ts";
import type { PodTemplateSpec } from "./types/core-v1.gen.ts";

const offset32 = 0x811c9dc5;
const prime32 = 0x01000193;

/** FNV-1, 32 bits. */
function fnv32(text: string): number {
  let hash = offset32;
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash, prime32) ^ (bytes[at] ?? 0);
  return hash >>> 0;
}

/** FNV-1a, 32 bits. Pass an earlier result to go on from there. */
export function fnv32a(data: string | Uint8Array, from: number = offset32): number {
  let hash = from;
  const bytes = bytesOf(data);
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), prime32);
  return hash >>> 0;
}

/**
 * The value of the pod-template-hash label: the same as the Go program's for a template as the API server returns it,
 * so that either program recognizes the other's names.
 */
export function computeHash(template: PodTemplateSpec, collisionCount?: number): string {
  let hash = fnv32a(dumpPodTemplate(template));
  if (collisionCount !== undefined) {
    // upstream: pkg/controller/controller_utils.go#ComputeHash writes four bytes of the count, then four zeros.
    const count = new Uint8Array(8);
    new DataView(count.buffer).setUint32(0, collisionCount, true);
    hash = fnv32a(count, hash);
  }
  return safeEncode(String(hash));
}

/** The value of the controller.kubernetes.io/hash label of a revision whose data has this JSON (of go-json.ts). */
export function hashRevisionData(json: string, collisionCount?: number): string {
  return safeEncode(String(fnv32(json + (collisionCount ?? ""))));
}

/**
 * What the API server could make of metadata.generateName, but the same for the same text: whoever does not know whether a
 * create had its effect asks for the same name again.
 */
export function hashedName(base: string, text: string): string {
  return nameWithSuffix(base, fnv32a(text));
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? Buffer.from(data) : data;
}
