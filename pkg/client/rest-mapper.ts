import { apiVersionOf } from "../api/resource.ts";
import type { Discovery } from "./discovery.ts";
import type { ApiResource, ApiSurface } from "./discovery-documents.ts";

/** From kinds, as objects and owner references name them, to resources, as URLs name them; and back. */
export class RestMapper {
  readonly #discovery: Discovery;
  #index: Index | undefined;

  constructor(discovery: Discovery) {
    this.#discovery = discovery;
  }

  /** Undefined when there is no such kind; rejects when its group could not be discovered, so nobody knows. */
  async resourceOf(apiVersion: string, kind: string, signal?: AbortSignal): Promise<ApiResource | undefined> {
    return this.#find((index) => index.byKind, apiVersion, kind, signal);
  }

  async kindOf(apiVersion: string, plural: string, signal?: AbortSignal): Promise<string | undefined> {
    return (await this.#find((index) => index.byPlural, apiVersion, plural, signal))?.kind;
  }

  /** Forgets what is known, discovery's cache included: custom resources come and go. */
  reset(): void {
    this.#discovery.invalidate();
  }

  /** What was known stays known while nothing can be discovered: a server that is busy has not lost its kinds. */
  async #find(
    table: (index: Index) => ReadonlyMap<string, ApiResource>,
    apiVersion: string,
    name: string,
    signal: AbortSignal | undefined,
  ): Promise<ApiResource | undefined> {
    let failure: unknown;
    try {
      await this.#load(signal);
      failure = this.#index?.surface.failures.get(apiVersion);
    } catch (error) {
      signal?.throwIfAborted();
      failure = error;
    }
    const resource = this.#index && table(this.#index).get(`${apiVersion}/${name}`);
    if (resource === undefined && failure !== undefined) throw failure;
    if (resource !== undefined || this.#discovery.isLive) return resource;
    // What was kept on disk may be older than the kind.
    this.#discovery.invalidate();
    return this.#find(table, apiVersion, name, signal);
  }

  /** The index is made once per surface, which discovery keeps. */
  async #load(signal: AbortSignal | undefined): Promise<void> {
    const surface = await this.#discovery.surface(signal);
    if (this.#index?.surface !== surface) this.#index = indexOf(surface);
  }
}

function indexOf(surface: ApiSurface): Index {
  const byKind = new Map<string, ApiResource>();
  const byPlural = new Map<string, ApiResource>();
  for (const resource of surface.resources) {
    const apiVersion = apiVersionOf(resource);
    const kindKey = `${apiVersion}/${resource.kind}`;
    // Two resources of one kind in one version are rare; the first one is the real one.
    if (!byKind.has(kindKey)) byKind.set(kindKey, resource);
    byPlural.set(`${apiVersion}/${resource.plural}`, resource);
  }
  return { surface, byKind, byPlural };
}

interface Index {
  readonly surface: ApiSurface;
  readonly byKind: ReadonlyMap<string, ApiResource>;
  readonly byPlural: ReadonlyMap<string, ApiResource>;
}
