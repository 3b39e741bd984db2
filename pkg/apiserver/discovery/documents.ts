import { statusResponse } from "../server/api-server.ts";
import { negotiateOutput, parseAccept } from "../server/negotiate.ts";
import { methodNotAllowed, notAcceptable } from "../server/status-error.ts";
import type { ServerParts } from "../server/call.ts";
import type { Registry } from "../server/registry.ts";
import type { ApiRequest, ApiResponse } from "../server/request.ts";
import { aggregatedDiscovery, type ApiGroup, apiGroups, groupDocument, resourceList } from "./api-groups.ts";
import { healthResponse } from "./health.ts";
import { openApiV2, openApiV3, openApiV3Index } from "./openapi.ts";
import { gitVersionOf, versionDocument } from "./release.ts";

/** What was derived from the registry at its present generation, by path and form. */
class DocumentCache {
  readonly #registry: Registry;
  readonly #entries = new Map<string, ApiResponse | undefined>();
  #groups: readonly ApiGroup[] = [];
  #generation = -1;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  get(key: string, make: (groups: readonly ApiGroup[]) => ApiResponse | undefined): ApiResponse | undefined {
    if (this.#generation !== this.#registry.generation) {
      this.#entries.clear();
      this.#groups = apiGroups(this.#registry.all());
      this.#generation = this.#registry.generation;
    }
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const made = make(this.#groups);
    this.#entries.set(key, made);
    return made;
  }
}

/** Discovery, health, version and OpenAPI of one server, which says that it is of v1.MINOR. */
export function serverDocuments(
  minor: number,
): (parts: ServerParts, request: ApiRequest) => ApiResponse | undefined {
  let cache: DocumentCache | undefined;
  return (parts, request) => {
    const path = request.path.length > 1 ? request.path.replace(/\/+$/, "") : request.path;
    // upstream: apiserver/pkg/server/healthz minds no methods.
    const health = healthResponse(path, request.query);
    if (health !== undefined) return health;
    cache ??= new DocumentCache(parts.registry);
    if (path === "/openapi/v2" && !acceptsJson(request.headers["accept"]))
      return statusResponse(notAcceptable(["application/json"]));
    const { accept } = request.headers;
    const aggregated = aggregatedVersion(path, accept);
    const document = cache.get(`${aggregated ?? ""} ${path}`, (groups) =>
      makeDocument({ path, aggregated, minor }, groups),
    );
    if (document !== undefined && request.method !== "GET" && !forAllMethods.test(path))
      throw methodNotAllowed();
    // What there are several forms of is negotiated; there is none of these.
    if (document !== undefined && aggregated === undefined && /^\/apis?(?:\/|$)/.test(path))
      negotiateOutput(accept, request.query, { route: "computed", inProtobuf: false });
    return document;
  };
}

/** upstream: what aggregator and OpenAPI answer minds no methods either; versions are routes of go-restful. */
const forAllMethods = /^\/(?:apis(?:\/[^/]+)?|openapi\/.*)?$/;

interface WantedDocument {
  readonly path: string;
  /** The version of aggregated discovery, if that is wanted. */
  readonly aggregated: string | undefined;
  readonly minor: number;
}

function makeDocument(
  { path, aggregated, minor }: WantedDocument,
  groups: readonly ApiGroup[],
): ApiResponse | undefined {
  const release = gitVersionOf(minor);
  if (aggregated !== undefined) return aggregatedResponse(path, aggregated, groups);
  if (path === "/version") return json(versionDocument(minor));
  if (path === "/openapi/v2") return json(openApiV2(groups, release));
  if (path === "/openapi/v3") return json(openApiV3Index(groups));
  if (path.startsWith("/openapi/v3/"))
    return optionalJson(openApiV3(path.slice("/openapi/v3/".length), groups, release));
  if (path === "/api") return json(coreVersions);
  if (path === "/apis") return json(groupList(groups));
  if (path === "/") return json({ paths: rootPaths(groups) });
  return optionalJson(groupOrVersion(path, groups));
}

const coreVersions = {
  kind: "APIVersions",
  versions: ["v1"],
  serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "127.0.0.1" }],
};

function groupList(groups: readonly ApiGroup[]): object {
  const named = groups.filter(({ name }) => name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: named.map(groupDocument) };
}

/** /apis/GROUP, /apis/GROUP/VERSION and /api/v1. */
function groupOrVersion(path: string, groups: readonly ApiGroup[]): object | undefined {
  const parts = path.split("/").slice(1);
  const core = parts[0] === "api";
  if ((!core && parts[0] !== "apis") || parts.length > (core ? 2 : 3)) return undefined;
  const [name, version] = core ? ["", parts[1]] : [parts[1], parts[2]];
  const group = groups.find((group) => group.name === name);
  if (group === undefined) return undefined;
  if (version === undefined) return { kind: "APIGroup", apiVersion: "v1", ...groupDocument(group) };
  const found = group.versions.find((candidate) => candidate.version === version);
  return found === undefined ? undefined : resourceList(group.name, found);
}

function rootPaths(groups: readonly ApiGroup[]): readonly string[] {
  const paths = ["/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"];
  for (const { name, versions } of groups) {
    if (name !== "") paths.push(`/apis/${name}`);
    for (const { version } of versions)
      paths.push(name === "" ? `/api/${version}` : `/apis/${name}/${version}`);
  }
  return paths.sort();
}

/** Clients in Go ask for protobuf alone, and do without when they hear that there is none. */
function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === "") return true;
  return parseAccept(accept).some(({ type }) => ["application/json", "application/*", "*/*"].includes(type));
}

const discoveryVersions = new Set(["v2", "v2beta1"]);

/** The version of aggregated discovery that the client prefers over the plain documents. */
function aggregatedVersion(path: string, accept: string | undefined): string | undefined {
  if ((path !== "/api" && path !== "/apis") || accept === undefined) return undefined;
  for (const { type, parameters } of parseAccept(accept)) {
    if (type !== "application/json") continue;
    const as = parameters.get("as");
    if (as === undefined) return undefined;
    const version = parameters.get("v") ?? "";
    const isDiscovery = as === "APIGroupDiscoveryList" && parameters.get("g") === "apidiscovery.k8s.io";
    if (isDiscovery && discoveryVersions.has(version)) return version;
  }
  return undefined;
}

function aggregatedResponse(path: string, version: string, groups: readonly ApiGroup[]): ApiResponse {
  const wanted = groups.filter(({ name }) => (name === "") === (path === "/api"));
  const contentType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  const headers = { "content-type": contentType, vary: "Accept", "cache-control": "public" };
  return { status: 200, headers, body: { kind: "object", value: aggregatedDiscovery(wanted, version) } };
}

function json(value: object): ApiResponse {
  return { status: 200, headers: {}, body: { kind: "object", value } };
}

function optionalJson(value: object | undefined): ApiResponse | undefined {
  return value === undefined ? undefined : json(value);
}
