import { parseJsonBytes } from "../../api/wire-json.ts";
import { TransportError } from "../transport.ts";

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Splits a stream of bytes into lines and parses each. Bytes, not text, are split: a character may be cut in two by a
 * chunk's end, a line never is, and no text longer than a line comes into being.
 */
export class JsonLines {
  /** The beginning of a line whose end has not come yet. */
  #partial: Buffer[] = [];

  /** The documents that this chunk completes; in place of one that cannot be read, the error that says so. */
  push(chunk: Buffer): unknown[] {
    const documents: unknown[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#complete(chunk.subarray(start, end));
      if (line.length > 1 || (line.length === 1 && line[0] !== RETURN)) documents.push(documentOrError(line));
      start = end + 1;
    }
    if (start < chunk.length) this.#partial.push(chunk.subarray(start));
    return documents;
  }

  /** To be called at the end of the stream, which must not lie inside a line; a last line may lack its newline. */
  end(): unknown[] {
    if (this.#partial.length === 0) return [];
    const line = this.#complete(Buffer.alloc(0));
    if (line.toString("utf8").trim() === "") return [];
    const last = documentOrError(line);
    if (last instanceof TransportError)
      throw new TransportError("lost", "a stream broke off inside a line", true, last);
    return [last];
  }

  #complete(end: Buffer): Buffer {
    if (this.#partial.length === 0) return end;
    const line = Buffer.concat([...this.#partial, end]);
    this.#partial = [];
    return line;
  }
}

/** The lines that follow can be read all the same. */
function documentOrError(line: Buffer): unknown {
  try {
    return parseDocument(line);
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}

/** The text itself stays out of the message: it may be a Secret. */
export function parseDocument(bytes: Buffer): unknown {
  try {
    return parseJsonBytes(bytes);
  } catch (cause) {
    throw new TransportError("malformed", `broken JSON of ${bytes.length} bytes`, true, sanitised(cause));
  }
}

/** V8's message quotes the text. */
function sanitised(cause: unknown): unknown {
  return cause instanceof SyntaxError ? new SyntaxError("invalid JSON") : cause;
}
