import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { packTar, TarError, type TarInput, unpackTar } from "./tar.ts";

interface File {
  readonly path: string;
  readonly text: string;
}

const inputOf = ({ path, text }: File): TarInput => {
  const bytes = Buffer.from(text);
  return { path, kind: "file", mode: 0o640, size: bytes.length, content: Readable.from([bytes]) };
};

async function pack(files: readonly File[]): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(packTar(Readable.from(files.map(inputOf)))));
}

async function unpack(chunks: AsyncIterable<Uint8Array>): Promise<readonly File[]> {
  const files: File[] = [];
  for await (const { path, content } of unpackTar(chunks)) {
    files.push({ path, text: Buffer.concat(await Array.fromAsync(content)).toString() });
  }
  return files;
}

async function* cut(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

const files = fc.array(
  fc.record({
    path: fc
      .array(fc.stringMatching(/^[a-zé]{1,40}$/), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.join("/")),
    text: fc.string({ maxLength: 2_000 }),
  }),
  { maxLength: 4 },
);

test("what is packed comes out again, however it is cut", async () => {
  await fc.assert(
    fc.asyncProperty(files, fc.integer({ min: 1, max: 3_000 }), async (given, length) => {
      expect(await unpack(cut(await pack(given), length))).toEqual(given);
    }),
  );
});

test("tar reads what is packed, long names included", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tar-"));
  try {
    const long = `${"a".repeat(90)}/${"b".repeat(90)}`;
    const input = await pack([
      { path: "short", text: "one" },
      { path: long, text: "x".repeat(1_000) },
    ]);
    expect(spawnSync("tar", ["-xf", "-", "-C", directory], { input })).toMatchObject({ status: 0 });
    expect(await readFile(join(directory, long), "utf8")).toBe("x".repeat(1_000));
    expect((await readdir(directory)).sort()).toEqual(["a".repeat(90), "short"]);
    for (const format of ["gnu", "pax", "ustar"]) {
      const made = spawnSync("tar", [`--format=${format}`, "-cf", "-", "-C", directory, "short", long]);
      expect(await unpack(cut(made.stdout, 700)), format).toEqual([
        { path: "short", text: "one" },
        { path: long, text: "x".repeat(1_000) },
      ]);
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("content that nobody reads is passed over", async () => {
  const bytes = await pack([
    { path: "a", text: "x".repeat(3_000) },
    { path: "b", text: "y" },
  ]);
  const paths: string[] = [];
  for await (const { path } of unpackTar(cut(bytes, 100))) paths.push(path);
  expect(paths).toEqual(["a", "b"]);
});

test("what is no archive, or ends too early, is refused", async () => {
  const bytes = await pack([{ path: "a", text: "x".repeat(3_000) }]);
  await expect(unpack(cut(bytes.subarray(0, 2_000), 512))).rejects.toThrow(TarError);
  await expect(unpack(cut(Buffer.alloc(1_024, "z"), 512))).rejects.toThrow("no archive");
});
