import type { TransportRequest } from "../../../pkg/client/transport.ts";

export type WriteVerb = "create" | "update" | "patch" | "delete";

/** What a request is about, as far as its path and method tell. */
export interface RequestFacts {
  readonly verb: WriteVerb | "get" | "list" | "watch";
  /** Plural name, such as "pods". */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** "" for lists, watches and creates. */
  readonly name: string;
}

const VERBS = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" } as const;
const PATH =
  /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/([^/]+)\/(?!(?:finalize|status)$)(?=[^/]+))?([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;

export function factsOf({ method, path, query, endless }: TransportRequest): RequestFacts {
  const [, namespace = "", resource = path, name = "", subresource = ""] = PATH.exec(path) ?? [];
  const isWatch = endless === true || query?.get("watch") === "true" || query?.get("watch") === "1";
  const read = isWatch ? "watch" : name === "" ? "list" : "get";
  const verb = method === "GET" || method === "HEAD" || method === "OPTIONS" ? read : VERBS[method];
  return { verb, resource, subresource, namespace, name };
}

export function isWrite({ verb }: RequestFacts): boolean {
  return verb === "create" || verb === "update" || verb === "patch" || verb === "delete";
}

/** E.g. "update deployments/status web-1". */
export function describeRequest({ verb, resource, subresource, name }: RequestFacts): string {
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  return name === "" ? `${verb} ${what}` : `${verb} ${what} ${name}`;
}
