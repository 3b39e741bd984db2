import { pino, type Logger as PinoLogger } from "pino";
import { parseJson } from "../api/wire-json.ts";
import type { Clock } from "../clock/clock.ts";
import { klogText, type LogRecord } from "./klog-text.ts";
import type { LogFields, Logger } from "./logger.ts";
import { describeError, redact, redactText } from "./redact.ts";
import { Verbosity } from "./verbosity.ts";

/** Where finished lines go, newline included. */
export interface LogDestination {
  write(line: string): void;
  /** Resolves when everything that was written has left the process. */
  flush?(): Promise<void>;
  /** The same for a process that is about to die. */
  flushSync?(): void;
}

export interface LogOptions {
  readonly format: "text" | "json";
  readonly destination: LogDestination;
  readonly clock: Clock;
  readonly processId: number;
  readonly verbosity?: number;
  readonly vmodule?: string;
}

/** The logger of a process and the handle on what it writes. */
export interface RootLogger {
  readonly logger: Logger;
  readonly verbosity: Verbosity;
  flush(): Promise<void>;
  flushSync(): void;
}

export function createLogger(options: LogOptions): RootLogger {
  const { destination, clock, processId } = options;
  const asText = {
    write: (line: string) => destination.write(klogText(parseJson(line) as LogRecord, processId)),
  };
  const root = pino(
    {
      base: null,
      // Levels below info are decided by Verbosity; pino passes everything that reaches it.
      level: "info",
      timestamp: () => `,"ts":${clock.nowMs()}`,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.format === "json" ? destination : asText,
  );
  const verbosity = new Verbosity(options.verbosity, options.vmodule);
  return {
    logger: new KlogLogger(root, verbosity, {}),
    verbosity,
    flush: async () => destination.flush?.(),
    flushSync: () => destination.flushSync?.(),
  };
}

/** Writes to a file descriptor without blocking: stderr, as klog does, unless told otherwise. */
export function fileDescriptorDestination(fd = 2): LogDestination {
  // Any minLength above 0: with 0, flush calls back before the lines are out.
  const stream = pino.destination({ fd, sync: false, minLength: 1 });
  return {
    write: (line) => void stream.write(line),
    flush: async () =>
      new Promise((resolve, reject) => {
        stream.flush((error) => (error && !isUnsyncable(error) ? reject(error) : resolve()));
      }),
    flushSync: () => stream.flushSync(),
  };
}

/** What is no file on a disk (a pipe, a terminal, a socket) cannot be synced to one; its lines are out all the same. */
function isUnsyncable(error: NodeJS.ErrnoException): boolean {
  return error.code === "EINVAL" || error.code === "ENOTSUP" || error.code === "EROFS";
}

/**
 * Fields travel here and not in children of pino, which write a field twice that a child or a call sets again. Every sync
 * has a logger of its own, and few of them write: the fields are cleaned and joined with the first line.
 */
class KlogLogger implements Logger {
  readonly #pino: PinoLogger;
  readonly #verbosity: Verbosity;
  readonly #parent: KlogLogger | undefined;
  readonly #own: LogFields;
  #joined: LogFields | undefined;
  #threshold = 0;
  #generation = -1;

  constructor(target: PinoLogger, verbosity: Verbosity, own: LogFields, parent?: KlogLogger) {
    this.#pino = target;
    this.#verbosity = verbosity;
    this.#own = own;
    this.#parent = parent;
  }

  get #fields(): LogFields {
    const parent = this.#parent;
    this.#joined ??= { ...(parent === undefined ? {} : parent.#fields), ...clean(this.#own) };
    return this.#joined;
  }

  error(error: unknown, message: string, fields?: LogFields): void {
    const cause =
      error === undefined || error === null ? {} : { err: describeError(error), ...stackOf(error) };
    this.#pino.error({ ...this.#fields, ...cause, ...clean(fields) }, redactText(message));
  }

  warn(message: string, fields?: LogFields): void {
    this.#pino.warn({ v: 0, ...this.#fields, ...clean(fields) }, redactText(message));
  }

  info(message: string, fields?: LogFields): void {
    this.#pino.info({ v: 0, ...this.#fields, ...clean(fields) }, redactText(message));
  }

  verbose(level: number, message: string, fields?: LogFields): void {
    if (!this.enabled(level)) return;
    this.#pino.info({ v: level, ...this.#fields, ...clean(fields) }, redactText(message));
  }

  enabled(level: number): boolean {
    if (this.#generation !== this.#verbosity.generation) {
      this.#threshold = this.#verbosity.thresholdOf(this.#component);
      this.#generation = this.#verbosity.generation;
    }
    return level <= this.#threshold;
  }

  child(fields: LogFields): Logger {
    return new KlogLogger(this.#pino, this.#verbosity, fields, this);
  }

  get #component(): string {
    const { component } = this.#own;
    if (typeof component === "string") return component;
    const parent = this.#parent;
    return parent === undefined ? "" : parent.#component;
  }
}

/** Without secrets, and without the keys that every line has of its own. */
function clean(fields: LogFields | undefined): LogFields {
  if (fields === undefined) return {};
  const { ts, level, msg, v, ...others } = redact(fields) as LogFields;
  const reserved = { ts, level, msg, v };
  for (const [key, value] of Object.entries(reserved)) {
    if (value !== undefined) Object.assign(others, { [`field.${key}`]: value });
  }
  return others;
}

/** Errors of ours carry a code. One without is a defect, and then the place matters. */
function stackOf(error: unknown): LogFields {
  if (!(error instanceof Error) || "code" in error || error.name === "AbortError") return {};
  return error.stack === undefined ? {} : { stack: redactText(error.stack) };
}
