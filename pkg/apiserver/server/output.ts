import type { ApiObject } from "../../api/object.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { notOfThisForm } from "./form-refusal.ts";
import type { OutputForm } from "./negotiate.ts";
import type { ListBody, ResponseBody } from "./request.ts";
import { readAsServed, type ServedResource } from "./served-resource.ts";
import { tableOf } from "./table.ts";

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

  object(stored: ApiObject): object {
    const object = readAsServed(this.#served, stored);
    if (this.#form.kind === "object") return object;
    if (this.#form.kind === "partial") {
      if (this.#form.of === "many") throw notOfThisForm(this.#served, "one");
      return partial(object, this.#form.version);
    }
    return this.#table([object], { resourceVersion: object.metadata.resourceVersion ?? "" });
  }

  /** As `object`, for one of the many of a watch: a table names its columns in the first event only. */
  event(stored: ApiObject, nowMs: number): object {
    if (this.#form.kind !== "table") return this.object(stored);
    const object = readAsServed(this.#served, stored);
    const metadata = { resourceVersion: object.metadata.resourceVersion ?? "" };
    const table = tableOf(this.#served.rules, { items: [object], metadata }, this.#form, nowMs);
    if (this.#columnsSent) return { ...table, columnDefinitions: null };
    this.#columnsSent = true;
    return table;
  }

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
    return {
      kind: "list",
      list: {
        kind: "PartialObjectMetadataList",
        apiVersion: `meta.k8s.io/${version}`,
        metadata,
        items: objects.map((object) => partial(object, version)),
        bareItems: false,
      },
    };
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

function partial(object: ApiObject, version: string): ApiObject {
  const { metadata } = object;
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata };
}
