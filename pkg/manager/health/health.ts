import type { Logger } from "../../log/logger.ts";
import type { ObserveHealthcheck } from "../../metrics/standard.ts";

export type HealthEndpoint = "healthz" | "livez" | "readyz";

/**
 * What it says of the process that a check fails.
 * life: only a new process helps, as with a leader that does not renew its Lease.
 * controller, caches: something is late or stuck. It may be so for reasons that a new process would meet again (a broken
 * resource, an API server that is away, long work that goes well), and would begin from the start.
 * role: it is not its turn.
 */
export type Concern = "life" | "controller" | "caches" | "role";

export interface HealthCheck {
  readonly name: string;
  readonly concern: Concern;
  /** What is wrong, for the log and for those who may ask for this check by name; undefined when all is well. */
  check(): string | undefined;
}

/**
 * The policy. Kubelets kill what fails at /healthz (kubeadm's static Pods) or /livez: nothing counts there but life. That
 * the event loop turns is what an answer shows. "named": listed, and all is well as long as the process answers, as
 * upstream's check of a controller is.
 */
const POLICY: Readonly<Record<Concern, Readonly<Partial<Record<HealthEndpoint, "counts" | "named">>>>> = {
  life: { healthz: "counts", livez: "counts", readyz: "counts" },
  controller: { healthz: "named", livez: "named", readyz: "counts" },
  caches: { readyz: "counts" },
  role: { readyz: "counts" },
};

export interface HealthAnswer {
  readonly status: number;
  readonly text: string;
}

export interface HealthQuery {
  readonly verbose: boolean;
  readonly excluded: readonly string[];
}

/** An endpoint without a check still says that the process answers. */
const ping: HealthCheck = { name: "ping", concern: "life", check: () => undefined };

/** The checks of this process in the order in which they were added; they come and go with what they look at. */
export class HealthChecks {
  readonly #checks = new Map<string, HealthCheck>();
  readonly #observe: ObserveHealthcheck;
  readonly #log: Logger;

  constructor(observe: ObserveHealthcheck, log: Logger) {
    this.#observe = observe;
    this.#log = log;
  }

  /** A check of the same name is replaced, and keeps its place. */
  add(...checks: readonly HealthCheck[]): void {
    for (const check of checks) this.#checks.set(check.name, check);
  }

  remove(name: string): void {
    this.#checks.delete(name);
  }

  /** Runs every check that counts for the endpoint. Reasons go to the log only: the endpoint is open to all. */
  answer(endpoint: HealthEndpoint, query: HealthQuery): HealthAnswer {
    const excluded = new Set(query.excluded);
    const lines: string[] = [];
    const problems: string[] = [];
    for (const check of this.#of(endpoint)) {
      if (excluded.delete(check.name)) {
        lines.push(`[+]${check.name} excluded: ok`);
        continue;
      }
      const problem = this.#run(check);
      this.#observe(check.name, endpoint, problem === undefined);
      lines.push(problem === undefined ? `[+]${check.name} ok` : `[-]${check.name} failed: reason withheld`);
      if (problem !== undefined) problems.push(`${check.name}: ${problem}`);
    }
    if (excluded.size > 0) {
      const names = [...excluded].toSorted().map((name) => JSON.stringify(name));
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(", ")}`);
    }
    if (problems.length > 0) {
      this.#log.verbose(2, "A health check failed", { endpoint, problems });
      return { status: 500, text: [...lines, `${endpoint} check failed`, ""].join("\n") };
    }
    if (!query.verbose) return { status: 200, text: "ok" };
    return { status: 200, text: [...lines, `${endpoint} check passed`, ""].join("\n") };
  }

  /** One check with its reason; undefined when there is none of this name. */
  answerOne(endpoint: HealthEndpoint, name: string): HealthAnswer | undefined {
    const check = this.#of(endpoint).find((candidate) => candidate.name === name);
    if (check === undefined) return undefined;
    const problem = this.#run(check);
    if (problem === undefined) return { status: 200, text: "ok" };
    return { status: 500, text: `internal server error: ${problem}\n` };
  }

  #of(endpoint: HealthEndpoint): readonly HealthCheck[] {
    const checks = [...this.#checks.values()].flatMap((check) => {
      const part = POLICY[check.concern][endpoint];
      if (part === undefined) return [];
      return part === "counts" ? [check] : [{ ...ping, name: check.name }];
    });
    return checks.length === 0 ? [ping] : checks;
  }

  /** A check that throws is a check that failed: the others must still be heard. */
  #run(check: HealthCheck): string | undefined {
    try {
      return check.check();
    } catch (error) {
      this.#log.error(error, "A health check threw", { check: check.name });
      return "the check itself failed";
    }
  }
}
