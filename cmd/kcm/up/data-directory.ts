import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "../../kube-controller-manager/start-error.ts";
import { makeDirectory } from "./make-directory.ts";

/** A directory that this process alone uses, with small files beside the storage of the cluster. */
export class DataDirectory {
  readonly path: string;
  readonly #lock: string;

  /** Makes the directory if need be. Throws a StartError when it cannot be used, or is used by another process. */
  constructor(path: string) {
    this.path = path;
    this.#lock = join(path, "lock");
    try {
      makeDirectory(path, 0o700);
      this.#takeLock();
    } catch (error) {
      if (error instanceof StartError) throw error;
      throw new StartError(`data directory ${path} cannot be used`, error);
    }
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
    rmSync(this.#lock, { force: true });
  }

  #takeLock(): void {
    const write = (): void => writeFileSync(this.#lock, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
    try {
      write();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const holder = Number(readFileSync(this.#lock, "utf8"));
      if (isAlive(holder)) {
        throw new StartError(`data directory ${this.path} is in use by process ${holder}`, error, "all");
      }
      // Its holder was killed.
      rmSync(this.#lock, { force: true });
      write();
    }
  }
}

/** In a container the process before this one may have had the same id. */
function isAlive(processId: number): boolean {
  if (!Number.isInteger(processId) || processId <= 0 || processId === process.pid) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
