import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "../../../pkg/manager/start-error.ts";
import { describeHolder, DirectoryLock, lastHolder } from "../clusters/directory-lock.ts";

/** A directory that this process alone uses, with small files beside the storage of the cluster. */
export class DataDirectory {
  readonly path: string;
  readonly #lock: DirectoryLock;

  /** Makes the directory if need be. Throws a StartError when it cannot be used, or is used by another process. */
  constructor(path: string) {
    this.path = path;
    let lock: DirectoryLock | undefined;
    try {
      lock = DirectoryLock.take(path);
    } catch (error) {
      throw new StartError(`data directory ${path} cannot be used`, error);
    }
    if (lock === undefined) {
      throw new StartError(`data directory ${path} is in use by ${describeHolder(lastHolder(path))}`);
    }
    this.#lock = lock;
  }

  get storage(): string {
    return join(this.path, "storage");
  }

  read(name: string): string | undefined {
    try {
      return readFileSync(join(this.path, name), "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw new StartError(`data directory ${this.path}: ${name} cannot be read`, error);
    }
  }

  /** For the owner's eyes only; there is never half a file. */
  write(name: string, text: string): void {
    const path = join(this.path, name);
    writeFileSync(`${path}.tmp`, text, { mode: 0o600 });
    renameSync(`${path}.tmp`, path);
  }

  release(): void {
    this.#lock.release();
  }
}
