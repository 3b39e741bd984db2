import type { IncomingMessage } from "node:http";
import { ReplyError } from "./reply.ts";

/** All of the body. Throws a ReplyError where it is too long, and reads no further. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLong = (): ReplyError => new ReplyError(413, `a review may have ${maxBytes} bytes at most`);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLong();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) throw new ReplyError(400, "a review must be bytes");
    length += chunk.length;
    if (length > maxBytes) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
