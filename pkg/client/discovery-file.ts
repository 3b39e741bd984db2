import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../api/errors.ts";
import { formatTime, parseTime } from "../api/time.ts";
import { parseJson } from "../api/wire-json.ts";
import type { Clock } from "../clock/clock.ts";
import type { Logger } from "../log/logger.ts";
import type { ApiGroup, ApiResource, ApiSurface } from "./discovery-documents.ts";

/** Where what servers offer is kept between runs of short-lived programs. */
export interface DiscoveryCacheOptions {
  /** Every server has a file of its own in it. It is made where it is missing, for its owner alone. */
  readonly directory: string;
  /** What is older is asked for again: 6 hours, as with kubectl. */
  readonly maxAgeMs?: number;
}

export interface DiscoveryFileOptions extends DiscoveryCacheOptions {
  readonly server: URL;
  readonly clock: Clock;
  readonly log: Logger;
}

const MAX_AGE_MS = 6 * 3_600_000;
const FORMAT = 1;

/** What one server offers, in a file. A file that is missing, old, of another server or damaged is as none. */
export class DiscoveryFile {
  readonly #path: string;
  readonly #server: string;
  readonly #maxAgeMs: number;
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor({ directory, maxAgeMs = MAX_AGE_MS, server, clock, log }: DiscoveryFileOptions) {
    const { host, pathname } = server;
    const name = `${host}${pathname}`.replaceAll(/[^\w.-]+/g, "_");
    this.#path = join(directory, `${name}.json`);
    this.#server = `${server.origin}${pathname}`;
    this.#maxAgeMs = maxAgeMs;
    this.#clock = clock;
    this.#log = log;
  }

  async read(): Promise<ApiSurface | undefined> {
    let document: unknown;
    try {
      document = parseJson(await readFile(this.#path, "utf8"));
    } catch (error) {
      if (!isMissing(error)) this.#tell("What the server offers cannot be read from its file", error);
      return undefined;
    }
    if (!isKept(document)) {
      this.#tell("The file of what the server offers is damaged", undefined);
      return undefined;
    }
    const { server, saved, groups, resources } = document;
    const ageMs = this.#clock.nowMs() - (parseTime(saved) ?? -Infinity);
    // One that was saved in time to come may be of any age.
    if (server !== this.#server || ageMs < 0 || !(ageMs <= this.#maxAgeMs)) return undefined;
    return { groups, resources, failures: new Map() };
  }

  /** The file is there as a whole or not at all, whoever else writes it. Who cannot write it works without. */
  async write({ groups, resources, failures }: ApiSurface): Promise<void> {
    // What could not be learned would be missing for hours.
    if (failures.size > 0) return;
    const saved = formatTime(this.#clock.nowMs());
    const kept: Kept = { format: FORMAT, server: this.#server, saved, groups, resources };
    const half = `${this.#path}.${randomUUID()}.tmp`;
    try {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      await writeWhole(half, JSON.stringify(kept));
      await rename(half, this.#path);
    } catch (error) {
      this.#tell("What the server offers cannot be kept in a file", error);
      await rm(half, { force: true }).catch((cause: unknown) => this.#tell("A file is left behind", cause));
    }
  }

  #tell(what: string, error: unknown): void {
    this.#log.warn(what, { file: this.#path, ...(error !== undefined && { why: messageOf(error) }) });
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

interface Kept {
  readonly format: typeof FORMAT;
  readonly server: string;
  readonly saved: string;
  readonly groups: readonly ApiGroup[];
  readonly resources: readonly ApiResource[];
}

type Fields = Readonly<Record<string, unknown>>;

function isKept(document: unknown): document is Kept {
  if (!isFields(document) || document["format"] !== FORMAT) return false;
  const { server, saved, groups, resources } = document;
  return (
    [server, saved].every(isText) &&
    isListOf(groups, (group) => isText(group["name"]) && areTexts(group["versions"])) &&
    isListOf(resources, isResource)
  );
}

function isResource(each: Fields): boolean {
  const { group, version, plural, kind, namespaced, verbs, subresources, shortNames, categories } = each;
  return (
    [group, version, plural, kind].every(isText) &&
    typeof namespaced === "boolean" &&
    [verbs, subresources, shortNames, categories].every(areTexts)
  );
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isText = (value: unknown): boolean => typeof value === "string";
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isListOf = (value: unknown, isOne: (item: Fields) => boolean): boolean =>
  Array.isArray(value) && value.every((item) => isFields(item) && isOne(item));
