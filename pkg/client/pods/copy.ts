import { createReadStream, createWriteStream } from "node:fs";
import { chmod, lstat, mkdir, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, posix, resolve, sep } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ObjectRef } from "../../api/object.ts";
import type { ClientSet } from "../client-set.ts";
import { exec, type ProcessResult } from "./processes.ts";
import { packTar, type TarInput, unpackTar } from "./tar.ts";
import { writeThrough } from "../http/write-through.ts";

export interface CopyOptions {
  /** Which one; a pod with several has to be told. */
  readonly container?: string;
  readonly from: string;
  /** A directory that is there already gets the file or directory in it; otherwise it is made under this name. */
  readonly to: string;
}

/** The container's tar has failed, or there is none. */
export class CopyError extends Error {
  readonly code = "CopyFailed";
}

/** Copies a file or a directory of this machine into a container, which has to have tar, as for `kubectl cp`. */
export async function copyToPod(
  clients: Pick<ClientSet, "rest">,
  pod: ObjectRef,
  { container, from, to }: CopyOptions,
  signal?: AbortSignal,
): Promise<void> {
  const within = container === undefined ? {} : { container };
  const probe = await exec(clients, pod, { ...within, command: ["test", "-d", to] }, signal);
  const target = probe.exitCode === 0 ? posix.join(to, basename(from)) : to;
  const command = ["tar", "-xmf", "-", "-C", posix.dirname(target)];
  const stdin = packTar(filesOf(resolve(from), posix.basename(target)));
  done(await exec(clients, pod, { ...within, command, stdin }, signal));
}

/** Links in it are left out, and whatever else is neither a file nor a directory. */
async function* filesOf(path: string, name: string, look = stat): AsyncGenerator<TarInput, void, undefined> {
  const facts = await look(path);
  const { mode } = facts;
  if (facts.isFile()) {
    yield { path: name, kind: "file", mode, size: facts.size, content: contentOf(path) };
    return;
  }
  if (!facts.isDirectory()) return;
  yield { path: name, kind: "directory", mode, size: 0, content: Readable.from([]) };
  const names = (await readdir(path)).sort();
  for (const each of names) yield* filesOf(join(path, each), `${name}/${each}`, lstat);
}

/** Opened once it is read: before that nobody hears that it cannot be, and nobody would close it. */
async function* contentOf(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}

/**
 * Copies a file or a directory out of a container, which has to have tar. Links are left out, as they might lead anywhere;
 * a path that leads out of the directory is refused.
 */
export async function copyFromPod(
  clients: Pick<ClientSet, "rest">,
  pod: ObjectRef,
  { container, from, to }: CopyOptions,
  signal?: AbortSignal,
): Promise<void> {
  const name = posix.basename(from);
  const target = (await isDirectory(to)) ? join(to, name) : resolve(to);
  const archive = new PassThrough();
  const command = ["tar", "-cf", "-", "-C", posix.dirname(from), name];
  const onStdout = async (chunk: Uint8Array): Promise<void> => {
    // Once all is unpacked, what fills the archive's last blocks is of no use.
    await writeThrough(archive, chunk);
  };
  const within = container === undefined ? {} : { container };
  const running = exec(clients, pod, { ...within, command, onStdout }, signal);
  const fed = running.then(
    (result) => {
      archive.end();
      return result;
    },
    (error: Error) => {
      archive.destroy(error);
      throw error;
    },
  );
  const unpacked = unpackTo(target, name, archive).finally(() => archive.destroy());
  const [result, failure] = await Promise.all([
    fed,
    unpacked.then(
      () => undefined,
      (error: unknown) => error,
    ),
  ]);
  done(result);
  if (failure !== undefined) throw failure;
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

async function unpackTo(target: string, name: string, archive: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const { path, kind, mode, content } of unpackTar(archive)) {
    if (kind === "other") continue;
    const place = placeOf(target, name, path);
    if (kind === "directory") {
      await mkdir(place, { recursive: true });
      continue;
    }
    await mkdir(dirname(place), { recursive: true });
    await pipeline(content, createWriteStream(place));
    await chmod(place, mode & 0o777);
  }
}

/** Where a path of the archive belongs, of which `name` is `target` here. */
export function placeOf(target: string, name: string, path: string): string {
  const below = posix.relative(name, posix.normalize(path));
  const place = resolve(target, ...below.split("/"));
  if (place === target || place.startsWith(target + sep)) return place;
  throw new CopyError(`${path} in the archive leads out of ${name}`);
}

function done({ exitCode, stderr }: ProcessResult): void {
  if (exitCode !== 0)
    throw new CopyError(`tar in the container has ended with ${exitCode}: ${stderr.trim()}`);
}
