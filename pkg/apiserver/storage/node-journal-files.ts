import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { AppendFile, JournalFiles } from "./journal-files.ts";

/** A directory on disk, made when it does not exist. */
export function nodeJournalFiles(directory: string): JournalFiles {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return {
    directory,
    list: () => readdirSync(directory),
    read: (name) => readFileSync(join(directory, name)),
    open: (name) => appendFile(openSync(join(directory, name), "a", 0o600)),
    truncate: (name, length) => truncateSync(join(directory, name), length),
    rename: (from, to) => renameSync(join(directory, from), join(directory, to)),
    remove: (name) => rmSync(join(directory, name), { force: true }),
  };
}

function appendFile(descriptor: number): AppendFile {
  return {
    write: (bytes) => {
      for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
    },
    sync: () => fsyncSync(descriptor),
    close: () => closeSync(descriptor),
  };
}
