import type { Writable } from "node:stream";

/** What all streams have that can be written to, and answers of HTTP/2 as well. */
type Sink = Pick<Writable, "write" | "once" | "off" | "writableEnded" | "destroyed">;

/** Writes as fast as the other side takes it. What comes when the stream has ended goes nowhere. */
export async function writeThrough(stream: Sink, chunk: string | Uint8Array): Promise<void> {
  if (stream.destroyed || stream.writableEnded) return;
  if (stream.write(chunk) || stream.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stream.off("drain", done);
      stream.off("close", done);
      resolve();
    };
    stream.once("drain", done);
    stream.once("close", done);
  });
}
