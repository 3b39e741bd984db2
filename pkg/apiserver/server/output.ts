import type { ApiObject } from "../../api/object.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { deepFreeze } from "../../api/freeze.ts";
import { notOfThisForm } from "./form-refusal.ts";
import type { OutputForm } from "./negotiate.ts";
import type { ListBody, ResponseBody } from "./request.ts";
import { readAsServed, type ServedResource } from "./served-resource.ts";
import { metadataOf, requireTable, tableOf } from "./table.ts";

/** Turns stored objects into what one request asked to see. */
export class Output {
  readonly #served: ServedResource;
  readonly #form: OutputForm;
  readonly #nowMs: number;
  #columnsSent = false;

  constructor(served: ServedResource, form: OutputForm, nowMs: number) {
    this.#served = served;
    this.#form = form;
    this.#nowMs = nowMs;
  }

  /** True when watchers get the stored object itself, whose bytes they can then share. */
  get shared(): boolean {
    return this.#form.kind === "object";
  }

  /** upstream: a watch of lists is taken, and breaks off at the first event, which is none. */
  get showsEvents(): boolean {
    return this.#form.kind !== "partial" || this.#form.of === "one";
  }

  /** Throws a StatusError where nothing can be shown so: a watch has to say it before there is anything to show. */
  requireForm(): void {
    if (this.#form.kind === "table") requireTable(this.#form);
  }

  /** Whether there is a form of this in protobuf: there is none of tables. */
  get inProtobuf(): boolean {
    return this.#form.kind === "partial" || (this.#form.kind === "object" && this.#served.inProtobuf);
  }

  async object(stored: ApiObject): Promise<object> {
    const remote = this.#served.conversion?.remote;
    return this.#shown(remote === undefined ? readAsServed(this.#served, stored) : await remote.anew(stored));
  }

  #shown(object: ApiObject): object {
    if (this.#form.kind === "object") return object;
    if (this.#form.kind === "partial") {
      if (this.#form.of === "many") throw notOfThisForm(this.#served, "one");
      return partial(object, this.#form.version);
    }
    return this.#table([object], { resourceVersion: object.metadata.resourceVersion ?? "" });
  }

  /**
   * As `object`, for one of the many of a watch, which are ready to be read: a table names its columns in the first event
   * only. `version`: that of the event, where it is not the object's own.
   */
  event(stored: ApiObject, nowMs: number, version?: string): object {
    const object = atVersion(readAsServed(this.#served, stored), version);
    if (this.#form.kind === "partial") return partial(object, this.#form.version);
    if (this.#form.kind === "object") return object;
    const metadata = { resourceVersion: object.metadata.resourceVersion ?? "" };
    const table = tableOf(this.#served.rules, { items: [object], metadata }, this.#form, nowMs);
    if (this.#columnsSent) return { ...table, columnDefinitions: null };
    this.#columnsSent = true;
    return table;
  }

  /** Of items that are ready to be read. */
  list(items: readonly ApiObject[], metadata: ListBody["metadata"]): ResponseBody {
    const objects =
      this.#served.conversion === undefined ? items : items.map((item) => readAsServed(this.#served, item));
    if (this.#form.kind === "table") return { kind: "object", value: this.#table(objects, metadata) };
    const { resource, bareItems } = this.#served;
    if (this.#form.kind === "object") {
      const apiVersion = apiVersionOf(resource);
      const list = { kind: `${resource.kind}List`, apiVersion, metadata, items: objects, bareItems };
      return { kind: "list", list };
    }
    if (this.#form.of === "one") throw notOfThisForm(this.#served, "many");
    const { version } = this.#form;
    const head = { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${version}`, metadata };
    // upstream: a list of none is no list.
    const none: object = { ...head, items: null };
    if (objects.length === 0) return { kind: "object", value: none };
    const shown = objects.map((object) => partial(object, version));
    return { kind: "list", list: { ...head, items: shown, bareItems: false } };
  }

  bookmark(metadata: ApiObject["metadata"]): object {
    const { resource } = this.#served;
    const bare = { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata };
    if (this.#form.kind === "object") return bare;
    if (this.#form.kind === "partial") return partial(bare, this.#form.version);
    return this.event(bare, this.#nowMs);
  }

  #table(items: readonly ApiObject[], metadata: ListBody["metadata"]): object {
    if (this.#form.kind !== "table") throw new Error("only a table has rows");
    return tableOf(this.#served.rules, { items, metadata }, this.#form, this.#nowMs);
  }
}

function atVersion(object: ApiObject, version: string | undefined): ApiObject {
  if (version === undefined) return object;
  return deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: version } });
}

function partial(object: ApiObject, version: string): ApiObject {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: metadataOf(object),
  };
}
