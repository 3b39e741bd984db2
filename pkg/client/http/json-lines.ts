import { TransportError } from "../transport.ts";

const NEWLINE = 0x0a;

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
      const text =
        this.#partial.length === 0 ? chunk.toString("utf8", start, end) : this.#complete(chunk, start, end);
      if (text !== "" && text !== "\r") documents.push(documentOrError(text));
      start = end + 1;
    }
    if (start < chunk.length) this.#partial.push(chunk.subarray(start));
    return documents;
  }

  /** To be called at the end of the stream, which must not lie inside a line; a last line may lack its newline. */
  end(): unknown[] {
    if (this.#partial.length === 0) return [];
    const text = this.#complete(Buffer.alloc(0), 0, 0);
    if (text.trim() === "") return [];
    const last = documentOrError(text);
    if (last instanceof TransportError)
      throw new TransportError("lost", "a stream broke off inside a line", true, last);
    return [last];
  }

  #complete(chunk: Buffer, start: number, end: number): string {
    const line = Buffer.concat([...this.#partial, chunk.subarray(start, end)]);
    this.#partial = [];
    return line.toString("utf8");
  }
}

/** The lines that follow can be read all the same. */
function documentOrError(text: string): unknown {
  try {
    return parseDocument(text);
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}

/** The text itself stays out of the message: it may be a Secret. */
export function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TransportError("malformed", `broken JSON of ${text.length} characters`, true, sanitised(cause));
  }
}

/** V8's message quotes the text. */
function sanitised(cause: unknown): unknown {
  return cause instanceof SyntaxError ? new SyntaxError("invalid JSON") : cause;
}
