import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { UserInfo } from "../server/access.ts";

/** The user that a verified client certificate names: CN is the name, every O a group. */
export function certificateUser(socket: Socket): UserInfo | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const subject: Readonly<Record<string, string | string[] | undefined>> | undefined =
    socket.getPeerCertificate().subject;
  const username = [subject?.["CN"] ?? []].flat()[0];
  if (username === undefined) return undefined;
  return { username, groups: [...[subject?.["O"] ?? []].flat(), "system:authenticated"] };
}
