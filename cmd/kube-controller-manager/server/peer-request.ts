import { X509Certificate } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Http2ServerRequest } from "node:http2";
import type { DetailedPeerCertificate, TLSSocket } from "node:tls";

/** What a request says of who makes it. */
export interface PeerRequest {
  /** Values of a header in order; its name in lower case. */
  header(name: string): readonly string[];
  /** Lower-case names of all headers. */
  headerNames(): readonly string[];
  /** As the client sent them: its own, then the chain. Unchecked. */
  readonly certificates: readonly X509Certificate[];
}

/** From pairs of names and values, as Node.js keeps them. */
export function peerRequest(
  rawHeaders: readonly string[],
  certificates: readonly X509Certificate[],
): PeerRequest {
  const values = new Map<string, string[]>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const known = values.get(name) ?? [];
    values.set(name, [...known, rawHeaders[index + 1] ?? ""]);
  }
  return {
    header: (name) => values.get(name) ?? [],
    headerNames: () => [...values.keys()],
    certificates,
  };
}

export function peerCertificates(socket: Socket): readonly X509Certificate[] {
  return chainOf((socket as TLSSocket).getPeerCertificate(true));
}

function chainOf(first: DetailedPeerCertificate): readonly X509Certificate[] {
  const chain = new Map<string, X509Certificate>();
  // Without a certificate the object is empty; a self-signed one names itself as its issuer.
  for (
    let at: DetailedPeerCertificate | undefined = first;
    at?.raw !== undefined;
    at = at.issuerCertificate
  ) {
    if (chain.has(at.fingerprint256)) break;
    chain.set(at.fingerprint256, new X509Certificate(at.raw));
  }
  return [...chain.values()];
}

/**
 * Ends the request's HTTP/2 connection, if it is one, when this answer and those under way are out: strangers must not
 * hold connections of many streams open.
 */
export function endHttp2ConnectionAfter(raw: IncomingMessage, answer: ServerResponse): void {
  if (raw.httpVersionMajor !== 2) return;
  // Once the stream is over it has lost its session.
  const { session } = (raw as unknown as Http2ServerRequest).stream;
  answer.once("finish", () => session?.close());
}
