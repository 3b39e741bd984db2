import { TLSSocket } from "node:tls";
import type { UserInfo } from "../server/access.ts";
import type { HttpRequest } from "./messages.ts";

/** By connection: reading a certificate costs a good part of a small request. */
const known = new WeakMap<object, UserInfo | "nobody">();

/** The user that a verified client certificate names: CN is the name, every O a group. */
export function certificateUser(request: HttpRequest): UserInfo | undefined {
  // HTTP/2 makes up a socket for each request.
  const connection = ("stream" in request ? request.stream.session : undefined) ?? request.socket;
  let user = known.get(connection);
  if (user === undefined) {
    user = readCertificate(request.socket) ?? "nobody";
    known.set(connection, user);
  }
  return user === "nobody" ? undefined : user;
}

function readCertificate(socket: HttpRequest["socket"]): UserInfo | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerCertificate();
  const subject: Readonly<Record<string, string | string[] | undefined>> | undefined = certificate.subject;
  const username = [subject?.["CN"] ?? []].flat()[0];
  if (username === undefined) return undefined;
  const id = `X509SHA256=${certificate.fingerprint256.replaceAll(":", "").toLowerCase()}`;
  return {
    username,
    groups: [...[subject?.["O"] ?? []].flat(), "system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": [id] },
  };
}
