import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseJson } from "../../../pkg/api/wire-json.ts";
import { StartError } from "../../../pkg/manager/start-error.ts";
import { describeHolder, DirectoryLock, type Holder, lastHolder } from "./directory-lock.ts";

/** What a running cluster leaves for other processes to read. */
export interface ClusterRecord {
  /** "" while it starts. */
  readonly url: string;
  readonly kubeconfig: string;
  readonly startedAt: string;
  readonly dataDirectory?: string;
  /** The kubeconfig that its context was merged into. */
  readonly mergedInto?: string;
}

export interface FoundCluster {
  readonly name: string;
  readonly directory: string;
  readonly record: ClusterRecord;
  /** Stale: its process has ended without cleaning up. */
  readonly state: "running" | "starting" | "stale";
  readonly holder: Holder | undefined;
}

const RECORD = "cluster.json";
const KUBECONFIG = "kubeconfig";

/** What is fit for directories and contexts alike. */
export function isClusterName(name: string): boolean {
  return /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/.test(name);
}

/** The directory with one for each cluster: KCM_HOME, else .kcm where the user is at home. */
export function clusterHome(environment: Readonly<Record<string, string | undefined>>): string {
  const named = environment["KCM_HOME"] ?? "";
  return named === "" ? join(homedir(), ".kcm") : resolve(named);
}

/** All clusters that run, and those that ended without a word, by name. */
export function findClusters(home: string): readonly FoundCluster[] {
  if (!existsSync(home)) return [];
  const names = readdirSync(home).filter(isClusterName).sort();
  return names.flatMap((name) => findCluster(home, name) ?? []);
}

export function findCluster(home: string, name: string): FoundCluster | undefined {
  const directory = join(home, name);
  const wasTaken = DirectoryLock.isTaken(directory);
  const record = readRecord(directory);
  if (record === undefined) return undefined;
  // It may have been started between the two looks.
  const isTaken = wasTaken || DirectoryLock.isTaken(directory);
  const state = !isTaken ? "stale" : record.url === "" ? "starting" : "running";
  return { name, directory, record, state, holder: lastHolder(directory) };
}

/** The name, and the directory, of a cluster that this process runs. */
export class ClaimedCluster {
  readonly directory: string;
  /** Where the kubeconfig is, unless the user wants it elsewhere. */
  readonly kubeconfig: string;
  /** Of a cluster of that name which has ended without cleaning up. */
  readonly left: ClusterRecord | undefined;
  readonly #lock: DirectoryLock;

  private constructor(directory: string, lock: DirectoryLock) {
    this.directory = directory;
    this.left = readRecord(directory);
    this.kubeconfig = join(directory, KUBECONFIG);
    this.#lock = lock;
  }

  /** Throws a StartError when a cluster of that name runs, or the directory cannot be used. */
  static claim(home: string, name: string): ClaimedCluster {
    const directory = join(home, name);
    let lock: DirectoryLock | undefined;
    try {
      lock = DirectoryLock.take(directory);
    } catch (error) {
      throw new StartError(`directory ${directory} cannot be used (KCM_HOME names another)`, error);
    }
    if (lock === undefined) throw new StartError(runsAlready(directory, name));
    return new ClaimedCluster(directory, lock);
  }

  /** In one step: whoever reads it meanwhile sees the old one or the new one. */
  write(record: ClusterRecord): void {
    const path = join(this.directory, RECORD);
    writeFileSync(`${path}.tmp`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.tmp`, path);
  }

  /** With all that was left for others to read. */
  release(): void {
    rmSync(join(this.directory, RECORD), { force: true });
    rmSync(this.kubeconfig, { force: true });
    this.#lock.release();
  }
}

function runsAlready(directory: string, name: string): string {
  const url = readRecord(directory)?.url ?? "";
  const where = url === "" ? "" : ` at ${url}`;
  const who = describeHolder(lastHolder(directory));
  return `cluster ${name} runs already, as ${who}${where}; kcm down ${name} ends it, and --name NAME starts another one beside it`;
}

function readRecord(directory: string): ClusterRecord | undefined {
  const path = join(directory, RECORD);
  if (!existsSync(path)) return undefined;
  try {
    return parseJson(readFileSync(path, "utf8")) as ClusterRecord;
  } catch (error) {
    // It has ended between the two looks.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new StartError(`${path} cannot be read; remove it if no cluster of that name runs`, error);
  }
}
