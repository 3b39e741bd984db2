import { apiVersionOf } from "../api/resource.ts";
import { abortable } from "./abortable.ts";
import type { ApiGroup, ApiResource, ApiSurface } from "./discovery-documents.ts";
import {
  coreVersions,
  isGroupDiscoveryList,
  namedGroups,
  resourcesOfLegacy,
  surfaceOfAggregated,
} from "./discovery-documents.ts";
import type { DiscoveryFile } from "./discovery-file.ts";
import type { RestClient } from "./rest.ts";

const ACCEPT_AGGREGATED =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** Where what was learned is kept beyond the end of the process. */
export type DiscoveryStore = Pick<DiscoveryFile, "read" | "write">;

/** What the API server offers: asked once, and again after `invalidate`. */
export class Discovery {
  readonly #rest: RestClient;
  readonly #store: DiscoveryStore | undefined;
  #surface: Promise<ApiSurface> | undefined;
  #isLive = false;
  /** What is kept is of no use any more; what is learned next takes its place. */
  #isInvalidated = false;

  constructor(rest: RestClient, store?: DiscoveryStore) {
    this.#rest = rest;
    this.#store = store;
  }

  /** Whether what is known now was learned from the server by this process: what was kept may be out of date. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /**
   * Versions that fail are listed in `failures` and do not hide the others. It rejects when a root is refused, absent or
   * no discovery document: a server that says nothing of its resources has not said that it has none.
   */
  async surface(signal?: AbortSignal): Promise<ApiSurface> {
    return abortable((this.#surface ??= this.#remember(this.#find())), signal);
  }

  /** What is known is forgotten, and what is kept is not believed any more: the server is asked again. */
  invalidate(): void {
    this.#surface = undefined;
    this.#isLive = false;
    this.#isInvalidated = true;
  }

  async #find(): Promise<ApiSurface> {
    const kept = this.#isInvalidated ? undefined : await this.#store?.read();
    if (kept !== undefined) return kept;
    const surface = await this.#load();
    this.#isLive = true;
    await this.#store?.write(surface);
    return surface;
  }

  /** A failure is forgotten: the next one to ask tries again. */
  #remember(loading: Promise<ApiSurface>): Promise<ApiSurface> {
    loading.catch(() => {
      if (this.#surface === loading) this.#surface = undefined;
    });
    return loading;
  }

  async #load(): Promise<ApiSurface> {
    const [core, named] = await Promise.all([
      this.#loadRoot("/api", coreVersions),
      this.#loadRoot("/apis", namedGroups),
    ]);
    return merge([core, named]);
  }

  /** One of the two roots, aggregated if the server knows how. */
  async #loadRoot(
    path: "/api" | "/apis",
    groupsOf: (document: unknown) => readonly ApiGroup[],
  ): Promise<ApiSurface> {
    const document = await this.#rest.json({ method: "GET", path, accept: ACCEPT_AGGREGATED });
    if (isGroupDiscoveryList(document)) return surfaceOfAggregated(document);
    return this.#loadVersions(groupsOf(document));
  }

  async #loadVersions(groups: readonly ApiGroup[]): Promise<ApiSurface> {
    const failures = new Map<string, unknown>();
    const load = async (group: string, version: string): Promise<ApiResource[]> => {
      const apiVersion = apiVersionOf({ group, version });
      const path = group === "" ? `/api/${version}` : `/apis/${apiVersion}`;
      try {
        return resourcesOfLegacy(group, version, await this.#rest.json({ method: "GET", path }));
      } catch (error) {
        failures.set(apiVersion, error);
        return [];
      }
    };
    const resources = await Promise.all(
      groups.flatMap(({ name, versions }) => versions.map(async (version) => load(name, version))),
    );
    return { groups, resources: resources.flat(), failures };
  }
}

function merge(surfaces: readonly ApiSurface[]): ApiSurface {
  return {
    groups: surfaces.flatMap(({ groups }) => groups),
    resources: surfaces.flatMap(({ resources }) => resources),
    failures: new Map(surfaces.flatMap(({ failures }) => [...failures])),
  };
}
