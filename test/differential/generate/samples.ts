import type { Json } from "../../../pkg/api/json.ts";
import { apiVersionOf } from "../../../pkg/api/resource.ts";
import { clusterCases } from "../../integration/api/corpus/cluster-kinds.ts";
import { deviceCases } from "../../integration/api/corpus/device-kinds.ts";
import { moreCases } from "../../integration/api/corpus/more-kinds.ts";
import { otherCases } from "../../integration/api/corpus/other-kinds.ts";
import { storageCases } from "../../integration/api/corpus/storage-kinds.ts";
import { podCases } from "../../integration/api/corpus/pods.ts";
import { workloadCases } from "../../integration/api/corpus/workloads.ts";
import { MINIMAL_OBJECTS } from "../../integration/minimal-objects.ts";
import { TOKEN } from "../case.ts";
import { apiVersion, type Served } from "./catalog.ts";
import { otherSamples } from "./other-samples.ts";

const corpus = [
  ...podCases,
  ...workloadCases,
  ...otherCases,
  ...clusterCases,
  ...deviceCases,
  ...storageCases,
  ...moreCases,
];

/** Objects to begin with, by apiVersion and kind; with names of the case and in its namespace. */
export class Samples {
  readonly #valid = new Map<string, Json[]>();
  readonly #broken = new Map<string, Json[]>();

  constructor() {
    for (const { object, valid } of corpus)
      add(valid ? this.#valid : this.#broken, `${object.apiVersion} ${object.kind}`, object);
    for (const [resource, object] of MINIMAL_OBJECTS)
      add(this.#valid, `${apiVersionOf(resource)} ${resource.kind}`, { ...object });
    for (const [key, objects] of Object.entries(otherSamples))
      for (const object of objects) add(this.#valid, key, object);
  }

  valid(served: Served): readonly Json[] {
    return this.#of(this.#valid, served);
  }

  /** Valid ones and such as are refused. */
  all(served: Served): readonly Json[] {
    return [...this.valid(served), ...this.#of(this.#broken, served)];
  }

  #of(from: ReadonlyMap<string, readonly Json[]>, served: Served): readonly Json[] {
    return (from.get(`${apiVersion(served)} ${served.kind}`) ?? []).map((object) => named(object, served));
  }
}

function add(to: Map<string, Json[]>, key: string, object: Json): void {
  const list = to.get(key) ?? [];
  list.push(object);
  to.set(key, list);
}

function named(object: Json, served: Served): Json {
  const copy = structuredClone(object);
  const { name, ...metadata } = { ...(copy["metadata"] as Json | undefined) };
  const own = typeof name === "string" && nameOf[served.kind] !== undefined ? nameOf[served.kind] : TOKEN;
  const namespace = served.namespaced ? { namespace: "{{ns}}" } : {};
  delete metadata["namespace"];
  copy["metadata"] = { ...metadata, name: own, ...namespace };
  copy["apiVersion"] = apiVersion(served);
  copy["kind"] = served.kind;
  return copy;
}

/** Kinds whose names have to say something. */
const nameOf: Readonly<Record<string, string>> = {
  APIService: `v1.${TOKEN}.example.com`,
  CustomResourceDefinition: `${TOKEN}s.example.com`,
  IPAddress: "192.0.2.7",
};
