import { findCondition } from "../api/conditions.ts";
import { isJson, items } from "../api/json.ts";
import type { Stored } from "../api/object.ts";
import { groupResource, type Resource } from "../api/resource.ts";
import { resources } from "../api/resources.ts";
import type { CustomResourceDefinition } from "../api/types/apiextensions-v1.gen.ts";
import type { ClientSet } from "../client/client-set.ts";
import { isNotFound } from "../client/errors.ts";
import { DeadlineError, sleep, withDeadline } from "../clock/wait.ts";
import type { AnyCrd, ManifestOptions } from "./crd.ts";

export interface InstallOptions extends ManifestOptions {
  /** In whose name the fields are written. */
  readonly fieldManager?: string;
  /** How long it may take until all are served: a minute. */
  readonly timeoutMs?: number;
}

/** Definitions were not accepted, or not served in time. */
export class InstallError extends Error {
  readonly code = "InstallCrds";
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "InstallError";
  }
}

const FIELD_MANAGER = "crd-installer";
const TIMEOUT_MS = 60_000;
const FIRST_LOOK_MS = 20;
const LAST_LOOK_MS = 1_000;

/**
 * Applies the definitions and waits until the API server serves their objects in all versions. What others have added to
 * them stays, such as the certificates of webhooks. Does nothing to definitions that are as they should be.
 */
export async function installCrds(
  client: ClientSet,
  crds: readonly AnyCrd[],
  options: InstallOptions = {},
  signal?: AbortSignal,
): Promise<void> {
  // What is wrong with any of them is told before the first is written.
  const manifests = crds.map((crd) => crd.manifest(crd.conversions.length > 0 ? options : {}));
  const { fieldManager = FIELD_MANAGER, timeoutMs: limitMs = TIMEOUT_MS } = options;
  await Promise.all(
    crds.map(async (crd, index) => {
      const manifest = manifests[index];
      if (manifest === undefined) return;
      const installation = new Installation(client, crd, { manifest, fieldManager });
      const what = `installing ${groupResource(crd)}`;
      try {
        await withDeadline(
          client.rest.clock,
          { limitMs, what },
          async (inTime) => installation.run(inTime),
          signal,
        );
      } catch (error) {
        if (!(error instanceof DeadlineError)) throw error;
        throw new InstallError(`${what} took longer than ${limitMs} ms: ${installation.waitsFor}`, error);
      }
    }),
  );
}

class Installation {
  /** For whoever gives up. */
  waitsFor = "the API server has not answered";
  readonly #client: ClientSet;
  readonly #crd: AnyCrd;
  readonly #wanted: { readonly manifest: CustomResourceDefinition; readonly fieldManager: string };

  constructor(
    client: ClientSet,
    crd: AnyCrd,
    wanted: { readonly manifest: CustomResourceDefinition; readonly fieldManager: string },
  ) {
    this.#client = client;
    this.#crd = crd;
    this.#wanted = wanted;
  }

  async run(signal: AbortSignal): Promise<void> {
    let lookMs = FIRST_LOOK_MS;
    let definition = await this.#apply(signal);
    for (;;) {
      if (await this.#isServed(definition, signal)) return;
      await sleep(this.#client.rest.clock, lookMs, signal);
      lookMs = Math.min(2 * lookMs, LAST_LOOK_MS);
      definition = await this.#look(signal);
    }
  }

  async #apply(signal: AbortSignal): Promise<Stored<CustomResourceDefinition>> {
    const { manifest, fieldManager } = this.#wanted;
    const definitions = this.#client.clientFor(resources.customResourceDefinitions);
    return definitions.apply(manifest, { fieldManager, force: true }, signal);
  }

  /** One that was on its way out is made anew. */
  async #look(signal: AbortSignal): Promise<Stored<CustomResourceDefinition>> {
    const name = groupResource(this.#crd);
    try {
      return await this.#client.clientFor(resources.customResourceDefinitions).get({ name }, {}, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return this.#apply(signal);
    }
  }

  async #isServed(
    { metadata, status }: Stored<CustomResourceDefinition>,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (metadata.deletionTimestamp !== undefined) {
      this.waitsFor = "the definition of that name is being deleted, and its objects are not gone yet";
      return false;
    }
    const conditions = status?.conditions ?? [];
    const names = findCondition(conditions, "NamesAccepted");
    if (names?.status === "False")
      throw new InstallError(`${groupResource(this.#crd)}: its names are taken: ${names.message ?? ""}`);
    const established = findCondition(conditions, "Established");
    if (established?.status !== "True") {
      this.waitsFor = `the definition is not established: ${established?.message ?? "nothing is said of it"}`;
      return false;
    }
    const versions = [this.#crd, ...this.#crd.conversions.map(({ from }) => from)];
    for (const version of versions) {
      if (!this.#wanted.manifest.spec.versions.some(({ name, served }) => name === version.version && served))
        continue;
      this.waitsFor = `the API server does not tell of version ${version.version} yet`;
      if (!(await this.#isTold(version, signal))) return false;
    }
    return true;
  }

  /** Whether the server's discovery has the resource. */
  async #isTold({ group, version, plural }: Resource, signal: AbortSignal): Promise<boolean> {
    try {
      const path = `/apis/${group}/${version}`;
      const list = await this.#client.rest.json({ method: "GET", path }, signal);
      return isJson(list) && items(list, "resources").some(({ name }) => name === plural);
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
}
