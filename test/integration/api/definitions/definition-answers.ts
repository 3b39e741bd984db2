import type { TestResponse, TestServer } from "../../../harness/servers.ts";
import type { SpecCase } from "./spec-cases.ts";

type Json = Readonly<Record<string, unknown>>;

export interface Body extends Json {
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly Readonly<Record<"reason" | "field" | "message", string>>[];
  };
}

export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** The answers of all servers, that of the embedded one first. */
export async function answersOf(
  started: readonly TestServer[],
  method: string,
  path: string,
  body: unknown,
): Promise<[TestResponse, ...TestResponse[]]> {
  const [embedded, ...others] = started;
  if (embedded === undefined) throw new Error("no server was started");
  const type = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
  const send = async (server: TestServer): Promise<TestResponse> => server.request(method, path, body, type);
  return [await send(embedded), ...(await Promise.all(others.map(send)))];
}

/** Causes come in no particular order, and once each. Values of Go's internal types are printed in its own way. */
export function causesOf({ body }: TestResponse, anonymous: boolean): readonly string[] {
  const causes = (body as Body).details?.causes ?? [];
  const value = /^([A-Z][a-z ]+): (?:"(?:[^"\\]|\\.)*"|\{.*\}|\[[^\]]*\]|null|-?[\d.]+|true|false)(?=: |$)/s;
  const lines = causes.map(
    ({ reason, field, message }) =>
      `${reason} ${field}: ${anonymous ? message.replace(value, "$1") : message}`,
  );
  return [...new Set(lines)].toSorted();
}

/** Upstream goes through maps in no particular order. */
export function warningsOf({ headers }: TestResponse): readonly string[] {
  return String(headers["warning"] ?? "")
    .split(/, (?=299 )/)
    .toSorted();
}

export function definition(group: string, { spec, version, metadata }: SpecCase): Json {
  const only = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } };
  return {
    metadata: { name: `widgets.${group}`, ...metadata },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [{ ...only, ...version }],
      ...spec,
    },
  };
}

export function withSchema(openAPIV3Schema: Json): SpecCase {
  return { version: { schema: { openAPIV3Schema } } };
}
