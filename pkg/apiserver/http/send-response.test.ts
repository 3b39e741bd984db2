import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { realClock, realRandom } from "../../clock/real.ts";
import type { WatchFrame } from "../server/request.ts";
import { WatchStream } from "../server/watch-stream.ts";
import { FrameEncoder } from "./encode.ts";
import type { HttpResponse } from "./messages.ts";
import { sendResponse } from "./send-response.ts";

test("events of one turn of the event loop go out together, and none is left behind at the end", async () => {
  const response = new Recorded();
  const frames = new WatchStream({
    clock: realClock,
    random: realRandom,
    timeoutMs: 60_000,
    initial: [],
    bookmark: undefined,
  });
  const options = {
    pretty: false,
    encoder: new FrameEncoder(),
    type: "application/json",
    clock: realClock,
  } as const;
  const answer = { status: 200, headers: {}, body: { kind: "watch", frames, inProtobuf: false } } as const;
  const sent = sendResponse(response as unknown as HttpResponse, answer, options);
  for (const name of ["a", "b", "c"]) frames.push(added(name));
  await realClock.turn();
  await realClock.turn();
  expect(response.batches).toEqual([["a", "b", "c"]]);
  frames.push(added("d"));
  frames.push(added("e"));
  frames.finish();
  await sent;
  await realClock.turn();
  expect(response.batches).toEqual([
    ["a", "b", "c"],
    ["d", "e"],
  ]);
});

function added(name: string): WatchFrame {
  return { type: "ADDED", object: { metadata: { name } }, shared: false };
}

/** The names of the objects that were handed on together. */
class Recorded extends Writable {
  readonly batches: string[][] = [];

  writeHead(): void {
    // Nobody asks for the head.
  }

  flushHeaders(): void {
    // Nobody asks for the head.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.batches.push([nameIn(chunk)]);
    done();
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: () => void): void {
    this.batches.push(chunks.map(({ chunk }) => nameIn(chunk)));
    done();
  }
}

function nameIn(line: Buffer): string {
  return /"name":"(\w+)"/.exec(line.toString())?.[1] ?? "";
}
