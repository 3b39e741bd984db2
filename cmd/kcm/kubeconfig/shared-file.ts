import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { StartError } from "../../../pkg/manager/start-error.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { makeDirectory } from "../clusters/make-directory.ts";
import { type AdminAccess, accessEntries } from "./access.ts";
import { checkMergeable, ownMark, withEntries, withoutEntries } from "./merge.ts";

const POLL_MS = 50;
const LOCK_LIMIT_MS = 5_000;

/** Where kubectl looks when nothing else is said. */
export function sharedFile(): string {
  return join(homedir(), ".kube", "config");
}

/** Throws a StartError for a file that the cluster could not be merged into. */
export function checkSharedFile(path: string, clusterName: string): void {
  naming(path, () => checkMergeable(read(path), clusterName));
}

/** Adds the cluster, or replaces what an earlier one of that name has left; all else stays as it is. */
export async function addToSharedFile(path: string, clusterName: string, access: AdminAccess): Promise<void> {
  await change(path, (text) => {
    checkMergeable(text, clusterName);
    return withEntries(text, accessEntries(clusterName, access, ownMark));
  });
}

export async function removeFromSharedFile(path: string, clusterName: string): Promise<void> {
  if (existsSync(path)) await change(path, (text) => withoutEntries(text, clusterName));
}

/** Under the lock that kubectl takes, and in one step: there is never half a file. */
async function change(path: string, edit: (text: string) => string | undefined): Promise<void> {
  makeDirectory(dirname(path), 0o700);
  const unlock = await lock(`${path}.lock`);
  try {
    naming(path, () => {
      const after = edit(read(path));
      if (after === undefined) return;
      // Of a link, what it leads to is replaced.
      const target = existsSync(path) ? realpathSync(path) : path;
      const half = `${target}.${process.pid}.tmp`;
      writeFileSync(half, after, { mode: 0o600 });
      renameSync(half, target);
    });
  } finally {
    unlock();
  }
}

async function lock(path: string): Promise<() => void> {
  const limitMs = realClock.monotonicMs() + LOCK_LIMIT_MS;
  for (;;) {
    try {
      closeSync(openSync(path, "wx", 0o600));
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST")
        throw new StartError(`${path} cannot be made`, error);
      if (realClock.monotonicMs() > limitMs)
        throw new StartError(
          `${path} is there: remove it if no other program changes that kubeconfig`,
          error,
          "all",
        );
    }
    await sleep(realClock, POLL_MS);
  }
}

function read(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function naming(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new StartError(`kubeconfig ${path} is left as it is`, error);
  }
}
