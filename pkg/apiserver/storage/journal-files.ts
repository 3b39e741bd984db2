/** The file operations of a journal, all within one directory. Failures throw. */
export interface JournalFiles {
  /** What messages call the directory. */
  readonly directory: string;
  list(): readonly string[];
  read(name: string): Uint8Array;
  /** Opens for appending; creates the file when there is none. */
  open(name: string): AppendFile;
  truncate(name: string, length: number): void;
  rename(from: string, to: string): void;
  remove(name: string): void;
}

export interface AppendFile {
  /** Returns when the operating system has all the bytes. */
  write(bytes: Uint8Array): void;
  /** Returns when the disk has them. */
  sync(): void;
  close(): void;
}
