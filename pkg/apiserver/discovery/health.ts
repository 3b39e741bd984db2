import type { ApiResponse } from "../server/request.ts";

/** The process that answers is the one that stores: while it answers, these hold. */
const living = ["ping", "log", "etcd", "poststarthook/start-apiextensions-controllers"];
const checksOf: Readonly<Record<string, readonly string[]>> = {
  "/healthz": living,
  "/livez": living,
  "/readyz": [...living, "etcd-readiness", "informer-sync", "shutdown"],
};

/** /healthz, /livez and /readyz, their ?verbose form, and the single checks below them. */
export function healthResponse(path: string, query: URLSearchParams): ApiResponse | undefined {
  const [, probe = "", check] = /^(\/[a-z]+)(?:\/(.+))?$/.exec(path) ?? [];
  const checks = Object.hasOwn(checksOf, probe) ? checksOf[probe] : undefined;
  if (checks === undefined) return undefined;
  if (check !== undefined) return checks.includes(check) ? text("ok") : undefined;
  if (!query.has("verbose")) return text("ok");
  const excluded = new Set(query.getAll("exclude"));
  const lines = checks.map((name) => `[+]${name} ${excluded.has(name) ? "excluded: ok" : "ok"}\n`);
  const unknown = [...excluded].filter((name) => !checks.includes(name)).map((name) => JSON.stringify(name));
  const warning =
    unknown.length === 0
      ? ""
      : `warn: some health checks cannot be excluded: no matches for ${unknown.join(", ")}\n`;
  return text(`${lines.join("")}${warning}${probe.slice(1)} check passed\n`);
}

function text(content: string): ApiResponse {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status: 200, headers, body: { kind: "text", text: content } };
}
