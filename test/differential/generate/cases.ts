import { isJson, type Json } from "../../../pkg/api/json.ts";
import { type Case, type Step, TOKEN } from "../case.ts";
import { CaseBuilder } from "./case-builder.ts";
import type { Catalog, Served } from "./catalog.ts";
import { Chance } from "./chance.ts";
import type { Samples } from "./samples.ts";

/** Of these most is written by hand, and most is used. */
const frequent = new Set([
  "configmaps",
  "cronjobs",
  "daemonsets",
  "deployments",
  "jobs",
  "persistentvolumeclaims",
  "pods",
  "secrets",
  "services",
  "statefulsets",
]);

/** Makes cases: the same seed and number, the same case. */
export class Cases {
  readonly #catalog: Catalog;
  readonly #samples: Samples;
  readonly #seed: number;
  readonly #served: readonly (readonly [number, Served])[];

  constructor(catalog: Catalog, samples: Samples, seed: number, only: RegExp) {
    this.#catalog = catalog;
    this.#samples = samples;
    this.#seed = seed;
    this.#served = catalog.served
      .filter(({ verbs, kind }) => verbs.includes("create") && only.test(kind))
      .map((served) => [frequent.has(served.plural) ? 4 : 1, served] as const);
  }

  case(number: number): Case {
    const chance = new Chance(this.#seed, number);
    const builder = new CaseBuilder(this.#catalog, this.#samples, chance, chance.weighted(this.#served));
    if (!builder.stores) this.#tried(builder, chance);
    else
      chance.weighted([
        [40, this.#broken],
        [40, this.#life],
        [12, this.#applied],
        [8, this.#mixed],
      ])(builder, chance);
    return { number, steps: chance.percent(3) ? [document(chance), ...builder.steps] : builder.steps };
  }

  /** Kinds of which nothing is kept. */
  #tried(builder: CaseBuilder, chance: Chance): void {
    for (let left = 3; left > 0; left--) {
      builder.create(
        chance.percent(20) ? builder.generated(chance.below(20)) : builder.mutated(chance.below(3)),
      );
      if (chance.percent(8)) builder.asAnother();
    }
    if (!builder.served.verbs.includes("get")) return;
    builder.list();
    if (chance.percent(30)) builder.apply();
    if (chance.percent(30)) builder.odd();
  }

  /** Objects of which most are refused. */
  readonly #broken = (builder: CaseBuilder, chance: Chance): void => {
    const { served } = builder;
    const others = this.#samples.all(served);
    const body = chance.weighted<() => Json>([
      [70, () => builder.mutated(1 + chance.below(3))],
      [15, () => builder.generated(chance.below(25))],
      [15, () => (others.length === 0 ? builder.generated(10) : structuredClone(chance.one(others)))],
    ])();
    builder.create(body);
    if (chance.percent(30)) builder.get();
  };

  /** What happens to one object from its creation to its end. */
  readonly #life = (builder: CaseBuilder, chance: Chance): void => {
    builder.create(labelled(builder.sample));
    const others = chance.percent(15) ? ["b", "c"] : [];
    for (const suffix of others) builder.create(labelled(builder.sample, suffix));
    if (others.length > 0) builder.pages();
    for (let left = 2 + chance.below(5); left > 0; left--) {
      act(builder, chance);
      if (chance.percent(7)) builder.asAnother();
    }
    builder.delete();
    if (chance.percent(50)) builder.get();
  };

  /** Two managers and one object. */
  readonly #applied = (builder: CaseBuilder, chance: Chance): void => {
    for (let left = 2 + chance.below(4); left > 0; left--) {
      if (chance.percent(70)) builder.apply();
      else if (chance.percent(50)) builder.patch();
      else builder.update();
    }
    builder.get();
  };

  /** Requests without an order. */
  readonly #mixed = (builder: CaseBuilder, chance: Chance): void => {
    if (chance.percent(50)) builder.create(builder.sample);
    for (let left = 3; left > 0; left--) {
      if (chance.percent(50)) builder.odd();
      else act(builder, chance);
    }
  };
}

function act(builder: CaseBuilder, chance: Chance): void {
  const { verbs } = builder.served;
  chance.weighted<() => void>([
    [18, () => builder.update()],
    [22, () => builder.patch()],
    [12, () => builder.apply()],
    [10, () => builder.get()],
    [12, () => builder.list()],
    [18, () => builder.subresource()],
    [1, () => builder.watch()],
    [3, () => builder.delete()],
    [2, () => (verbs.includes("deletecollection") ? builder.deleteCollection() : builder.get())],
    [2, () => builder.odd()],
  ])();
}

function labelled(sample: Json, suffix = ""): Json {
  const copy = structuredClone(sample);
  const metadata = isJson(copy["metadata"]) ? copy["metadata"] : {};
  const labels = isJson(metadata["labels"]) ? metadata["labels"] : {};
  copy["metadata"] = { ...metadata, labels: { ...labels, fuzz: TOKEN } };
  if (suffix !== "")
    copy["metadata"] = { ...metadata, name: TOKEN + suffix, labels: { ...labels, fuzz: TOKEN } };
  return copy;
}

const documents: readonly string[] = [
  "/",
  "/api",
  "/apis",
  "/api/v1",
  "/apis/apps",
  "/apis/apps/v1",
  "/apis/batch/v1",
  "/apis/nope",
  "/apis/apps/v9",
  "/api/v2",
  "/api/v1/nopes",
  "/apis/apps/v1/nopes",
  "/version",
  "/healthz",
  "/livez",
  "/readyz",
  "/readyz?verbose",
  "/healthz/ping",
  "/openapi/v3",
  "/openapi/v2?x",
  "/nope",
  // Whoever deletes it tries that only: the worker has no other.
  "/api/v1/namespaces/{{ns}}?dryRun=All",
  "/api/v1/namespaces/{{ns}}/nopes/x",
  "/api/v1/watch/namespaces/{{ns}}/pods?timeoutSeconds=1",
  "/api/v1/componentstatuses",
  "/.well-known/openid-configuration",
  "/openid/v1/jwks",
  "//api/v1",
  "/api/v1/",
  "/apis/",
  "/api/v1/pods/",
];

function document(chance: Chance): Step {
  const path = chance.one(documents);
  const user = chance.one(["admin", "admin", "viewer", "anonymous", "nobody"]);
  const accept = chance.one([
    "application/json",
    "*/*",
    "application/yaml",
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    "text/html",
  ]);
  const method = chance.weighted([
    [9, "GET"],
    [1, chance.one(["POST", "PUT", "DELETE", "HEAD"])],
  ]);
  return {
    method,
    path,
    user,
    headers: { accept },
    what: `${method} ${path.split("?")[0] ?? ""}`,
    kind: "document",
  };
}
