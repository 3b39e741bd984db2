/** Archives as tar writes and reads them: POSIX's form, with its extension for long names; GNU's is read, too. */

const BLOCK = 512;
const MOST_PATH = 100;
const MOST_SIZE = 8 ** 11;

/** One of an archive. Directories and links have no content. */
export interface TarEntry {
  readonly path: string;
  readonly kind: "file" | "directory" | "other";
  readonly mode: number;
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array>;
}

export class TarError extends Error {
  readonly code = "BrokenArchive";
}

/** What goes into an archive; the content has to have the size that is said. */
export type TarInput = Omit<TarEntry, "kind"> & { readonly kind: "file" | "directory" };

export async function* packTar(
  entries: AsyncIterable<TarInput>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const { path, kind, mode, size, content } of entries) {
    const name = kind === "directory" && !path.endsWith("/") ? `${path}/` : path;
    if (size >= MOST_SIZE) throw new TarError(`${path} is too large for an archive`);
    if (Buffer.byteLength(name) > MOST_PATH) {
      const extension = Buffer.from(extendedPath(name));
      yield header({ path: "extended-header", type: "x", mode: 0o644, size: extension.length });
      yield padded(extension);
    }
    yield header({ path: name, type: kind === "directory" ? "5" : "0", mode, size });
    let written = 0;
    for await (const chunk of content) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== size) throw new TarError(`${path} has changed while it was read`);
    if (size % BLOCK > 0) yield Buffer.alloc(BLOCK - (size % BLOCK));
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** E.g. "20 path=a/long/name\n": the number counts itself. */
function extendedPath(path: string): string {
  const rest = Buffer.byteLength(` path=${path}\n`);
  let length = rest + String(rest).length;
  if (String(length).length > String(rest).length) length = rest + String(length).length;
  return `${length} path=${path}\n`;
}

interface Head {
  readonly path: string;
  readonly type: string;
  readonly mode: number;
  readonly size: number;
}

function header({ path, type, mode, size }: Head): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, length: number): void => {
    block.write(value.toString(8).padStart(length - 1, "0"), offset, "latin1");
  };
  Buffer.from(path).copy(block, 0, 0, MOST_PATH);
  octal(mode & 0o7777, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write(type, 156, "latin1");
  block.write("ustar\u000000", 257, "latin1");
  block.fill(" ", 148, 156);
  block.write(`${checksum(block).toString(8).padStart(6, "0")}\u0000 `, 148, "latin1");
  return block;
}

/** Of a header whose own place for it holds spaces. */
function checksum(block: Uint8Array): number {
  return block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes], Math.ceil(bytes.length / BLOCK) * BLOCK);
}

/** The entries in order. The content of one has to be read, or is passed over, before the next. */
export async function* unpackTar(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<TarEntry, void, undefined> {
  const bytes = new ByteReader(chunks);
  let longPath: string | undefined;
  for (let block = await bytes.take(BLOCK); block !== undefined; block = await bytes.take(BLOCK)) {
    if (block.every((byte) => byte === 0)) return;
    const head = readHeader(block);
    if (head.type === "x" || head.type === "L") {
      const body = (await bytes.whole(head.size)).toString("utf8");
      longPath = head.type === "L" ? untilZero(body) : (pathOf(body) ?? longPath);
      continue;
    }
    const content = new Content(bytes, head.size);
    yield { path: longPath ?? head.path, kind: kindOf(head.type), mode: head.mode, size: head.size, content };
    longPath = undefined;
    await content.skip();
  }
}

function kindOf(type: string): TarEntry["kind"] {
  if (type === "0" || type === "\u0000") return "file";
  return type === "5" ? "directory" : "other";
}

function readHeader(block: Buffer): Head {
  const text = (offset: number, length: number): string =>
    untilZero(block.subarray(offset, offset + length).toString("utf8"));
  const octal = (offset: number, length: number): number => {
    const digits = text(offset, length).trim();
    if (!/^[0-7]*$/.test(digits))
      throw new TarError("what came is no archive of tar: a number cannot be read");
    return Number.parseInt(digits || "0", 8);
  };
  if (octal(148, 8) !== checksum(block)) throw new TarError("what came is no archive of tar");
  const prefix = text(257, 5) === "ustar" && block[263] === 0x30 ? text(345, 155) : "";
  const name = text(0, MOST_PATH);
  return {
    path: prefix === "" ? name : `${prefix}/${name}`,
    type: block.toString("latin1", 156, 157),
    mode: octal(100, 8),
    size: octal(124, 12),
  };
}

function untilZero(text: string): string {
  const end = text.indexOf("\u0000");
  return end < 0 ? text : text.slice(0, end);
}

/** Lines such as "20 path=a/long/name". */
function pathOf(records: string): string | undefined {
  return /^\d+ path=(.*)$/m.exec(records)?.[1];
}

/** The content of one entry, and what fills its last block. */
class Content implements AsyncIterable<Uint8Array> {
  readonly #bytes: ByteReader;
  readonly #filling: number;
  #left: number;
  #isSkipped = false;

  constructor(bytes: ByteReader, size: number) {
    this.#bytes = bytes;
    this.#left = size;
    this.#filling = (BLOCK - (size % BLOCK)) % BLOCK;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    while (this.#left > 0) {
      const chunk = await this.#bytes.some(this.#left);
      this.#left -= chunk.length;
      yield chunk;
    }
  }

  async skip(): Promise<void> {
    if (this.#isSkipped) return;
    this.#isSkipped = true;
    for await (const _ of this) continue;
    let filling = this.#filling;
    while (filling > 0) filling -= (await this.#bytes.some(filling)).length;
  }
}

const MOST_HEADER_BYTES = 1 << 20;

class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** So many bytes; undefined where the archive ends before the first of them. */
  async take(length: number): Promise<Buffer | undefined> {
    while (this.#held.length < length) {
      const next = await this.#chunks.next();
      if (next.done === true) {
        if (this.#held.length === 0) return undefined;
        throw new TarError("the archive ends in the middle");
      }
      this.#held = Buffer.concat([this.#held, next.value]);
    }
    return this.#cut(length);
  }

  /** At least one byte, and at most so many. */
  async some(most: number): Promise<Buffer> {
    if (this.#held.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) throw new TarError("the archive ends in the middle");
      this.#held = Buffer.from(next.value);
      return this.some(most);
    }
    return this.#cut(Math.min(most, this.#held.length));
  }

  /** An entry that is about the next one. */
  async whole(size: number): Promise<Buffer> {
    if (size > MOST_HEADER_BYTES) throw new TarError("a name in the archive is too long");
    const body = await this.take(Math.ceil(size / BLOCK) * BLOCK);
    return body?.subarray(0, size) ?? Buffer.alloc(0);
  }

  #cut(length: number): Buffer {
    const cut = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    return cut;
  }
}
