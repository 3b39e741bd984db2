import type { ApiResponse } from "../server/request.ts";

const probes = new Set(["/healthz", "/livez", "/readyz"]);
/** The process that answers is the one that stores: while it answers, these hold. */
const checks = ["ping", "log", "storage"];

/** /healthz, /livez and /readyz, their ?verbose form, and the single checks below them. */
export function healthResponse(path: string, query: URLSearchParams): ApiResponse | undefined {
  const [, probe = "", check] = /^(\/[a-z]+)(?:\/(.+))?$/.exec(path) ?? [];
  if (!probes.has(probe)) return undefined;
  if (check !== undefined) return checks.includes(check) ? text("ok") : undefined;
  if (!query.has("verbose")) return text("ok");
  const excluded = new Set(query.getAll("exclude"));
  const lines = checks.map((name) => `[+]${name} ${excluded.has(name) ? "excluded: ok" : "ok"}\n`);
  return text(`${lines.join("")}${probe.slice(1)} check passed\n`);
}

function text(content: string): ApiResponse {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status: 200, headers, body: { kind: "text", text: content } };
}
