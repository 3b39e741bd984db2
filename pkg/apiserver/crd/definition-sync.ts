import type { ApiObject } from "../../api/object.ts";
import { formatTime } from "../../api/time.ts";
import type { Logger } from "../../log/logger.ts";
import { asJson, sameValue } from "../../api/json.ts";
import type { Draft } from "../kinds/kind.ts";
import type { ServerService } from "../server/api-server.ts";
import type { Call, ServerParts } from "../server/call.ts";
import { internalCall, internalQuery } from "../server/internal-call.ts";
import { removeObject } from "../server/delete.ts";
import { toDeleteOptions } from "../server/delete-options.ts";
import { copyJson } from "../../api/json-copy.ts";
import { bucketName } from "../server/served-resource.ts";
import { StatusError } from "../server/status-error.ts";
import { writeExisting } from "../server/update.ts";
import { acceptNames } from "./accepted-names.ts";
import type { ConversionClient } from "./conversion-webhook.ts";
import { customResources, storedResource } from "./custom-resource.ts";
import {
  cleanupFinalizer,
  conditionIsTrue,
  type CustomResourceDefinition,
  definitionBucket,
  withCondition,
} from "./definition.ts";

type Status = NonNullable<CustomResourceDefinition["status"]>;

/** Serves what the definitions in the storage define, and tells in their status how far that is. */
export class DefinitionSync implements ServerService {
  readonly #parts: ServerParts;
  readonly #log: Logger;
  readonly #conversion: ConversionClient;
  /** The state that each definition is served in. */
  readonly #served = new Map<string, CustomResourceDefinition>();
  readonly #emptying = new Map<string, () => void>();
  #running: Promise<void> | undefined;
  #again = false;
  #unsubscribe: (() => void) | undefined;

  constructor(parts: ServerParts, log: Logger, conversion: ConversionClient) {
    this.#parts = parts;
    this.#log = log;
    this.#conversion = conversion;
  }

  start(): void {
    this.#unsubscribe = this.#parts.store.subscribe(definitionBucket, () => this.#schedule());
    this.#schedule();
  }

  settled(bucket: string): Promise<void> | undefined {
    return bucket === definitionBucket ? this.#running : undefined;
  }

  stop(): void {
    this.#unsubscribe?.();
    for (const unsubscribe of this.#emptying.values()) unsubscribe();
  }

  /** After the write that is under way: the storage takes no writes from its listeners. */
  #schedule(): void {
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    while (this.#again) {
      this.#again = false;
      const { items } = this.#parts.store.scan(definitionBucket, { prefix: "" });
      // Each sees what those before it have been given: two that were to share a name would give way to each other for ever.
      const definitions = [...items] as CustomResourceDefinition[];
      for (const [index, definition] of definitions.entries())
        definitions[index] = await this.#syncOne(definition, definitions);
      this.#dropVanished(new Set(definitions.map(({ metadata }) => metadata.name ?? "")));
    }
  }

  async #syncOne(
    definition: CustomResourceDefinition,
    all: readonly CustomResourceDefinition[],
  ): Promise<CustomResourceDefinition> {
    const name = definition.metadata.name ?? "";
    let current = definition;
    try {
      const others = all.filter((one) => one !== definition && one.spec.group === definition.spec.group);
      const naming = acceptNames(definition, others, formatTime(this.#parts.clock.nowMs()));
      current = await this.#writeStatus(definition, { ...definition.status, ...naming });
      this.#serve(name, current);
      if (current.metadata.deletionTimestamp !== undefined) await this.#empty(current);
    } catch (error) {
      // Gone or changed meanwhile: the event of that change brings it up again.
      const isGone = error instanceof StatusError && (error.code === 404 || error.code === 409);
      if (!isGone) this.#log.error(error, "a custom resource definition cannot be served", { name });
    }
    return current;
  }

  async #writeStatus(
    definition: CustomResourceDefinition,
    status: Status,
  ): Promise<CustomResourceDefinition> {
    if (sameValue(status, definition.status)) return definition;
    const { resourceVersion } = definition.metadata;
    const written = await writeExisting(this.#call(definition, "status"), internalQuery, {
      next: (before) => {
        const draft = copyJson({ ...asJson(before), status }) as unknown as Draft;
        draft.metadata["resourceVersion"] = resourceVersion;
        return draft;
      },
    });
    return written as CustomResourceDefinition;
  }

  #serve(name: string, definition: CustomResourceDefinition): void {
    if (!conditionIsTrue(definition, "Established")) return;
    const before = this.#served.get(name);
    const unchanged =
      before !== undefined &&
      sameValue(before.spec, definition.spec) &&
      before.metadata.deletionTimestamp === definition.metadata.deletionTimestamp;
    if (unchanged) return;
    this.#served.set(name, definition);
    const { group, names } = definition.spec;
    this.#parts.registry.replaceCustom(group, names.plural, customResources(definition, this.#conversion));
  }

  #dropVanished(present: ReadonlySet<string>): void {
    for (const [name, { spec }] of this.#served) {
      if (present.has(name)) continue;
      this.#served.delete(name);
      this.#parts.registry.replaceCustom(spec.group, spec.names.plural, []);
    }
  }

  /** Deletes all objects of the definition; the definition itself goes when the last of them has gone. */
  async #empty(definition: CustomResourceDefinition): Promise<void> {
    const name = definition.metadata.name ?? "";
    const finalizers = definition.metadata.finalizers ?? [];
    if (!finalizers.includes(cleanupFinalizer)) return;
    const { group, names } = definition.spec;
    const bucket = bucketName(group, names.plural);
    const served = storedResource(definition, this.#conversion);
    const options = toDeleteOptions({});
    for (const { metadata } of served === undefined
      ? []
      : this.#parts.store.scan(bucket, { prefix: "" }).items) {
      if (served === undefined || metadata.deletionTimestamp !== undefined) continue;
      const place = { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
      await ignoringGone(removeObject(internalCall(this.#parts, served, "delete", place), options));
    }
    if (this.#parts.store.count(bucket) > 0) return this.#waitForEmpty(name, bucket);
    this.#stopWaiting(name);
    await this.#finish(definition);
  }

  async #finish(definition: CustomResourceDefinition): Promise<void> {
    const conditions = withCondition(
      definition.status?.conditions ?? [],
      {
        type: "Terminating",
        status: "False",
        reason: "InstanceDeletionCompleted",
        message: "removed all instances",
      },
      formatTime(this.#parts.clock.nowMs()),
    );
    await this.#writeStatus(definition, { ...definition.status, conditions });
    await ignoringGone(
      writeExisting(this.#call(definition, ""), internalQuery, {
        anyVersion: true,
        next: (before) => {
          const draft = copyJson(asJson(before)) as Draft;
          draft.metadata["finalizers"] = (before.metadata.finalizers ?? []).filter(
            (one) => one !== cleanupFinalizer,
          );
          draft.metadata["resourceVersion"] = "";
          return draft;
        },
      }),
    );
  }

  #waitForEmpty(name: string, bucket: string): void {
    if (this.#emptying.has(name)) return;
    const unsubscribe = this.#parts.store.subscribe(bucket, ({ type }) => {
      if (type === "DELETED") this.#schedule();
    });
    this.#emptying.set(name, unsubscribe);
  }

  #stopWaiting(name: string): void {
    this.#emptying.get(name)?.();
    this.#emptying.delete(name);
  }

  #call({ metadata }: ApiObject, subresource: string): Call {
    const served = this.#parts.registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    if (served === undefined) throw new Error("custom resource definitions are not served");
    const place = { namespace: "", name: metadata.name ?? "", subresource };
    return internalCall(this.#parts, served, "update", place);
  }
}

async function ignoringGone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof StatusError && error.code === 404)) throw error;
  }
}
