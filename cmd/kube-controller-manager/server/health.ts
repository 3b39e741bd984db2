import type { Logger } from "../../../pkg/log/logger.ts";
import type { ObserveHealthcheck } from "../../../pkg/metrics/standard.ts";

export type HealthEndpoint = "healthz" | "livez" | "readyz";

export interface HealthCheck {
  readonly name: string;
  /** What is wrong, for the log and for those who may ask for this check by name; undefined when all is well. */
  check(): string | undefined;
  /** Where the check counts; everywhere when left out. */
  readonly endpoints?: readonly HealthEndpoint[];
}

export interface HealthAnswer {
  readonly status: number;
  readonly text: string;
}

export interface HealthQuery {
  readonly verbose: boolean;
  readonly excluded: readonly string[];
}

/** An endpoint without a check still says that the process answers. */
const ping: HealthCheck = { name: "ping", check: () => undefined };

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
    const checks = [...this.#checks.values()].filter(
      ({ endpoints }) => endpoints === undefined || endpoints.includes(endpoint),
    );
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
