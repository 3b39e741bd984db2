import type { DebugPage } from "../controller/env.ts";
import type { MetricsRegistries } from "../metrics/registry.ts";
import type { HealthChecks, HealthEndpoint } from "./health/health.ts";

export interface Page extends DebugPage {
  readonly status: number;
}

/** Gives what is shown at a path; undefined: there is nothing. */
export type Pages = (path: string, query: URLSearchParams) => Promise<Page | undefined>;

const ENDPOINTS: readonly HealthEndpoint[] = ["healthz", "livez", "readyz"];
export const TEXT = "text/plain; charset=utf-8";

/** /healthz, /livez and /readyz, and below each the check of a name. */
export function healthPages(checks: Pick<HealthChecks, "answer" | "answerOne">): Pages {
  return async (path, query) => {
    const [, first, ...rest] = path.split("/");
    const endpoint = ENDPOINTS.find((each) => each === first);
    if (endpoint === undefined) return undefined;
    const how = { verbose: query.has("verbose"), excluded: query.getAll("exclude") };
    const name = rest.join("/");
    const answer = name === "" ? checks.answer(endpoint, how) : checks.answerOne(endpoint, name);
    return answer && { status: answer.status, contentType: TEXT, body: answer.text };
  };
}

/** /metrics and /metrics/slis. */
export function metricsPages(metrics: Pick<MetricsRegistries, "main" | "slis">): Pages {
  return async (path) => {
    const source = path === "/metrics" ? metrics.main : path === "/metrics/slis" ? metrics.slis : undefined;
    return source && { status: 200, contentType: source.contentType, body: await source.expose() };
  };
}

/** /debug/controllers/NAME: what a controller has done of late, and why. */
export function debugPages(
  show: (name: string, path: string, query: URLSearchParams) => DebugPage | undefined,
): Pages {
  return async (path, query) => {
    const [, name = "", rest = ""] = /^\/debug\/controllers\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
    const page = name === "" ? undefined : show(decodeURIComponent(name), `/${rest}`, query);
    return page && { status: 200, ...page };
  };
}
