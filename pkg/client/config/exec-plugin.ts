import { execFile } from "node:child_process";
import { parseJson } from "../../api/wire-json.ts";
import type { Clock } from "../../clock/clock.ts";
import type { Logger } from "../../log/logger.ts";
import type { ExecMetrics } from "./exec-metrics.ts";
import type { ExecConfig } from "./identity-source.ts";
import { ConfigError, readSource } from "./identity-source.ts";

const MAX_OUTPUT_BYTES = 4 << 20;
const TIME_LIMIT_MS = 60_000;
const MOST_WORDS = 1_024;

export interface ExecCredential {
  readonly token?: string;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** Epoch milliseconds; no expiry when left out. */
  readonly expiresMs?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface ExecParts {
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ExecMetrics;
}

/** Gets credentials from a program (client.authentication.k8s.io) and keeps them until they expire. */
export class ExecPlugin {
  readonly #config: ExecConfig;
  readonly #env: Environment;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: ExecMetrics;
  #cached: ExecCredential | undefined;

  constructor(config: ExecConfig, { env, clock, log, metrics }: ExecParts) {
    this.#config = config;
    this.#env = env;
    this.#clock = clock;
    this.#log = log;
    this.#metrics = metrics;
  }

  /** `fresh`: even if the last credential has not expired (the server rejected it). */
  async credential(fresh: boolean): Promise<ExecCredential> {
    const cached = this.#cached;
    if (!fresh && cached !== undefined && (cached.expiresMs ?? Infinity) > this.#clock.nowMs()) return cached;
    this.#cached = parseExecCredential(await this.#run(), this.#config.apiVersion);
    this.#metrics.issued(this.#cached.cert);
    return this.#cached;
  }

  async #run(): Promise<string> {
    const { apiVersion, command, args, env, installHint } = this.#config;
    const cluster = await clusterOf(this.#config);
    const spec = { interactive: false, ...(cluster === undefined ? {} : { cluster }) };
    const info = JSON.stringify({ apiVersion, kind: "ExecCredential", spec });
    return new Promise((resolve, reject) => {
      const child = execFile(
        command,
        [...args],
        {
          env: { ...this.#env, ...env, KUBERNETES_EXEC_INFO: info },
          maxBuffer: MAX_OUTPUT_BYTES,
          timeout: TIME_LIMIT_MS,
        },
        (error, stdout, stderr) => {
          this.#metrics.called(error);
          const words = lastWords(stderr);
          if (error !== null)
            return reject(new ConfigError(describe(command, error, installHint) + words, error));
          // upstream: client-go hands it on to its own standard error as it comes.
          if (words !== "") this.#log.verbose(2, `exec plugin ${command} says${words}`);
          resolve(stdout);
        },
      );
      child.stdin?.end();
    });
  }
}

/** What KUBERNETES_EXEC_INFO says of the cluster. */
async function clusterOf({
  cluster,
  ca,
}: ExecConfig): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (cluster === undefined || ca === undefined) return cluster;
  const bytes = await readSource("certificate authority", ca);
  return { ...cluster, "certificate-authority-data": bytes.toString("base64") };
}

/** What the program had to say to people, from its end: there it says why. */
function lastWords(stderr: string): string {
  const text = stderr.trim();
  if (text === "") return "";
  return text.length > MOST_WORDS ? `: …${text.slice(-MOST_WORDS)}` : `: ${text}`;
}

/** What the program gave out stays out of the message: it may be half of a credential. */
function describe(
  command: string,
  error: { readonly code?: string | number | null; readonly signal?: string | null },
  installHint: string | undefined,
): string {
  if (error.code === "ENOENT") {
    return `exec plugin ${command} not found${installHint === undefined ? "" : `: ${installHint}`}`;
  }
  const how = error.signal
    ? `was ended by ${error.signal}`
    : `failed with ${error.code ?? "an unknown error"}`;
  return `exec plugin ${command} ${how}`;
}

export function parseExecCredential(output: string, apiVersion: string): ExecCredential {
  const fail = (why: string): never => {
    throw new ConfigError(`exec plugin: ${why}`);
  };
  let document: unknown;
  try {
    document = parseJson(output);
  } catch {
    return fail("the output is not JSON");
  }
  const { kind, apiVersion: answered, status } = (document ?? {}) as ExecOutput;
  if (kind !== "ExecCredential") return fail("the output is no ExecCredential");
  if (answered !== apiVersion)
    return fail(`configured for ${apiVersion}, it answered with ${answered ?? '""'}`);
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status ?? {};
  if (!token && !cert && !key) return fail("it gave neither a token nor a certificate");
  if (!cert !== !key) return fail("it gave only one of certificate and key");
  const expiresMs = expirationTimestamp ? Date.parse(expirationTimestamp) : undefined;
  if (Number.isNaN(expiresMs)) return fail("expirationTimestamp is no time");
  return {
    ...(token ? { token: token.trim() } : {}),
    ...(cert && key ? { cert: Buffer.from(cert), key: Buffer.from(key) } : {}),
    ...(expiresMs === undefined ? {} : { expiresMs }),
  };
}

interface ExecOutput {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}
