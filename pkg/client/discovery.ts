import { apiVersionOf } from "../api/resource.ts";
import { abortable } from "./abortable.ts";
import type { ApiGroup, ApiResource, ApiResourceList, ApiSurface } from "./discovery-documents.ts";
import {
  isGroupDiscoveryList,
  preferredResources,
  resourcesOfLegacy,
  surfaceOfAggregated,
} from "./discovery-documents.ts";
import { isForbidden, isNotFound } from "./errors.ts";
import type { RestClient } from "./rest.ts";

const ACCEPT_AGGREGATED =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** What the API server offers: asked once, and again after `invalidate`. */
export class Discovery {
  readonly #rest: RestClient;
  #surface: Promise<ApiSurface> | undefined;

  constructor(rest: RestClient) {
    this.#rest = rest;
  }

  /** Versions that fail are listed in `failures` and do not hide the others; it rejects when a root cannot be read. */
  async surface(signal?: AbortSignal): Promise<ApiSurface> {
    return abortable((this.#surface ??= this.#remember(this.#load())), signal);
  }

  invalidate(): void {
    this.#surface = undefined;
  }

  /** Each resource once, in the version that the server prefers. */
  async preferredResources(signal?: AbortSignal): Promise<readonly ApiResource[]> {
    return preferredResources(await this.surface(signal));
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
      this.#loadRoot("/api", async (document) => this.#loadCore(document)),
      this.#loadRoot("/apis", async (document) => this.#loadGroups(document)),
    ]);
    return merge([core, named]);
  }

  /** One of the two roots, aggregated if the server knows how. A root that is absent or forbidden offers nothing. */
  async #loadRoot(
    path: "/api" | "/apis",
    legacy: (document: unknown) => Promise<ApiSurface>,
  ): Promise<ApiSurface> {
    try {
      const document = await this.#rest.json({ method: "GET", path, accept: ACCEPT_AGGREGATED });
      return isGroupDiscoveryList(document) ? surfaceOfAggregated(document) : await legacy(document);
    } catch (error) {
      if (isNotFound(error) || isForbidden(error)) return merge([]);
      throw error;
    }
  }

  async #loadCore(document: unknown): Promise<ApiSurface> {
    const { versions = [] } = document as { readonly versions?: readonly string[] };
    return this.#loadVersions([{ name: "", versions }]);
  }

  async #loadGroups(document: unknown): Promise<ApiSurface> {
    const { groups = [] } = document as { readonly groups?: readonly LegacyGroup[] };
    const parsed = groups.map(({ name, versions, preferredVersion }) => ({
      name,
      versions: versions
        .map(({ version }) => version)
        // A stable sort: the preferred version goes first, the others keep their order.
        .sort((a, b) => Number(b === preferredVersion?.version) - Number(a === preferredVersion?.version)),
    }));
    return this.#loadVersions(parsed);
  }

  async #loadVersions(groups: readonly ApiGroup[]): Promise<ApiSurface> {
    const failures = new Map<string, unknown>();
    const load = async (group: string, version: string): Promise<ApiResource[]> => {
      const apiVersion = apiVersionOf({ group, version });
      const path = group === "" ? `/api/${version}` : `/apis/${apiVersion}`;
      try {
        const list = await this.#rest.json({ method: "GET", path });
        return resourcesOfLegacy(group, version, list as ApiResourceList);
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

interface LegacyGroup {
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
  readonly preferredVersion?: { readonly version: string };
}

function merge(surfaces: readonly ApiSurface[]): ApiSurface {
  return {
    groups: surfaces.flatMap(({ groups }) => groups),
    resources: surfaces.flatMap(({ resources }) => resources),
    failures: new Map(surfaces.flatMap(({ failures }) => [...failures])),
  };
}
