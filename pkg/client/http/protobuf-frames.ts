import { decodeProtobufEvent } from "../../api/protobuf/decode.ts";
import type { WantedFields } from "../../api/protobuf/message-plan.ts";
import { ProtobufError } from "../../api/protobuf/reader.ts";
import { TransportError } from "../transport.ts";

const LENGTH_BYTES = 4;

/** Splits a stream of bytes into frames, each behind its length, and decodes the event of a watch in each. */
export class ProtobufFrames {
  readonly #fields: WantedFields | undefined;
  /** The beginning of a frame whose end has not come yet. */
  #partial: Buffer[] = [];
  #partialBytes = 0;

  constructor(fields: WantedFields | undefined) {
    this.#fields = fields;
  }

  /** The events that this chunk completes; in place of one that cannot be read, the error that says so. */
  push(chunk: Buffer): unknown[] {
    this.#partial.push(chunk);
    this.#partialBytes += chunk.length;
    const events: unknown[] = [];
    if (this.#partialBytes < this.#wanted()) return events;
    const bytes = this.#partial.length === 1 ? chunk : Buffer.concat(this.#partial);
    let at = 0;
    for (let end = frameEnd(bytes, at); end <= bytes.length; end = frameEnd(bytes, at)) {
      events.push(decodeFrame(bytes.subarray(at + LENGTH_BYTES, end), this.#fields));
      at = end;
    }
    this.#partial = at === bytes.length ? [] : [bytes.subarray(at)];
    this.#partialBytes = bytes.length - at;
    return events;
  }

  /** To be called at the end of the stream, which must not lie inside a frame. */
  end(): unknown[] {
    if (this.#partialBytes === 0) return [];
    throw new TransportError("lost", "a watch broke off inside a frame", true);
  }

  /** How many bytes the first frame has, as far as that is known: a large one is not put together at every chunk. */
  #wanted(): number {
    const [first] = this.#partial;
    return first === undefined || first.length < LENGTH_BYTES ? LENGTH_BYTES : frameEnd(first, 0);
  }
}

/** Infinite while the length itself is not there. */
function frameEnd(bytes: Buffer, at: number): number {
  if (at + LENGTH_BYTES > bytes.length) return Number.POSITIVE_INFINITY;
  return at + LENGTH_BYTES + bytes.readUInt32BE(at);
}

function decodeFrame(bytes: Buffer, fields: WantedFields | undefined): unknown {
  try {
    return decodeProtobufEvent(bytes, fields);
  } catch (failure) {
    if (!(failure instanceof ProtobufError)) throw failure;
    return new TransportError("malformed", `broken protobuf of ${bytes.length} bytes`, true, failure);
  }
}
