import type { ClientSet } from "../../pkg/client/client-set.ts";
import { parseApiVersion } from "../../pkg/api/owner-references.ts";
import { child, isJson, type Json, text } from "../../pkg/api/json.ts";
import type { CachedPolicy } from "./fields.ts";
import { pathOfVersion, schemaOfKind } from "./kind-schema.ts";
import { type GroupVersionKind, matchedKinds } from "./matched-kinds.ts";
import type { KindSchema, PolicySchemas } from "./type-check.ts";

/** What is asked. */
interface Server {
  readonly client: Pick<ClientSet, "discovery" | "rest">;
}

/** What the API server says of the kinds that a policy speaks of; what it has no schema of is left out. */
export async function gatherSchemas(
  policy: CachedPolicy,
  context: Server,
  signal: AbortSignal,
): Promise<PolicySchemas> {
  const documents = new Documents(context, signal);
  const kinds: KindSchema[] = [];
  for (const kind of await kindsOf(policy, context, signal)) {
    const schema = await documents.schemaOf(kind);
    if (schema !== undefined) kinds.push({ kind, schema });
  }
  const { apiVersion = "", kind = "" } = policy.spec?.paramKind ?? {};
  if (kind === "") return { kinds, params: undefined };
  const paramKind = { ...parseApiVersion(apiVersion), kind };
  const schema = await documents.schemaOf(paramKind);
  return { kinds, params: schema && { kind: paramKind, schema } };
}

/** What discovery does not know is asked for anew, once: custom resources come and go. */
async function kindsOf(
  policy: CachedPolicy,
  { client: { discovery } }: Server,
  signal: AbortSignal,
): Promise<readonly GroupVersionKind[]> {
  const before = matchedKinds(policy, (await discovery.surface(signal)).resources);
  if (!before.unknown) return before.kinds;
  discovery.invalidate();
  const surface = await discovery.surface(signal);
  const { kinds, unknown } = matchedKinds(policy, surface.resources);
  const named = new Set(
    (policy.spec?.matchConstraints?.resourceRules ?? []).flatMap(({ apiGroups = [], apiVersions = [] }) =>
      apiGroups.flatMap((group) => apiVersions.map((version) => pathOfVersion({ group, version, kind: "" }))),
    ),
  );
  for (const [apiVersion, failure] of surface.failures) {
    const isNamed = named.has(pathOfVersion({ ...parseApiVersion(apiVersion), kind: "" }));
    // Nobody knows whether the kind is there.
    if (unknown && isNamed) throw failure;
  }
  return kinds;
}

/** OpenAPI v3, a document for each version, read once in a sync. */
class Documents {
  readonly #context: Server;
  readonly #signal: AbortSignal;
  #paths: Promise<Json> | undefined;
  readonly #known = new Map<string, Promise<Json | undefined>>();

  constructor(context: Server, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
  }

  async schemaOf(kind: GroupVersionKind): Promise<KindSchema["schema"] | undefined> {
    const path = pathOfVersion(kind);
    const loading = this.#known.get(path) ?? this.#load(path);
    this.#known.set(path, loading);
    const document = await loading;
    return document && schemaOfKind(document, kind);
  }

  async #load(path: string): Promise<Json | undefined> {
    this.#paths ??= this.#get("/openapi/v3");
    const url = text(child(child(await this.#paths, "paths"), path), "serverRelativeURL");
    return url === "" ? undefined : this.#get(url);
  }

  async #get(url: string): Promise<Json> {
    const [path = "", query = ""] = url.split("?");
    const document = await this.#context.client.rest.json(
      { method: "GET", path, query: new URLSearchParams(query) },
      this.#signal,
    );
    if (!isJson(document)) throw new Error(`${path} has no document`);
    return document;
  }
}
