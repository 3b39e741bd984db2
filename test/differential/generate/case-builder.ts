import { isJson, type Json } from "../../../pkg/api/json.ts";
import { type Step, TOKEN } from "../case.ts";
import { apiVersion, type Catalog, collectionPath, type Schema, type Served } from "./catalog.ts";
import type { Chance } from "./chance.ts";
import { Mutations } from "./mutate.ts";
import { directives, operations } from "./patches.ts";
import { acceptTypes, deleteBody, deleteOptions, listOptions, writeOptions } from "./options.ts";
import type { Samples } from "./samples.ts";

type Extra = Partial<Pick<Step, "user" | "headers" | "body" | "ontoLast">> & {
  readonly subresource?: string;
};

const mergePatch = "application/merge-patch+json";
const jsonPatch = "application/json-patch+json";
const strategicPatch = "application/strategic-merge-patch+json";
const applyYaml = "application/apply-patch+yaml";

/** What is stored under these would change how the servers answer all others. */
const onlyTried = new Set([
  "apiservices",
  "customresourcedefinitions",
  "flowschemas",
  "limitranges",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
  "mutatingwebhookconfigurations",
  "priorityclasses",
  "prioritylevelconfigurations",
  "resourcequotas",
  "servicecidrs",
  "storageclasses",
  "ingressclasses",
  "ipaddresses",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "validatingwebhookconfigurations",
  "volumeattributesclasses",
]);

/** Requests about one object of one resource. */
export class CaseBuilder {
  readonly steps: Step[] = [];
  readonly served: Served;
  readonly sample: Json;
  readonly #chance: Chance;
  readonly #schema: Schema;
  readonly #mutations: Mutations;
  readonly #object: string;
  readonly #always: readonly string[];

  constructor(catalog: Catalog, samples: Samples, chance: Chance, served: Served) {
    this.served = served;
    this.#chance = chance;
    this.#schema = catalog.schemaOf(served);
    this.#mutations = new Mutations(catalog, chance);
    const valid = samples.valid(served);
    this.sample = valid.length > 0 ? chance.one(valid) : this.generated(5);
    const name = isJson(this.sample["metadata"]) ? String(this.sample["metadata"]["name"]) : TOKEN;
    this.#object = `${collectionPath(served)}/${name}`;
    this.#always = onlyTried.has(served.plural) ? ["dryRun=All"] : [];
  }

  /** Whether the resource can be written without dryRun. */
  get stores(): boolean {
    return this.#always.length === 0 && this.served.verbs.includes("get");
  }

  /** From the schema alone. */
  generated(odd: number): Json {
    const body = this.#mutations.values.of(this.#schema, "", odd);
    const metadata = { name: TOKEN, ...(this.served.namespaced ? { namespace: "{{ns}}" } : {}) };
    return {
      ...(isJson(body) ? body : {}),
      apiVersion: apiVersion(this.served),
      kind: this.served.kind,
      metadata,
    };
  }

  mutated(times: number): Json {
    const object = structuredClone(this.sample);
    for (let left = times; left > 0; left--) this.#mutations.change(object, this.#schema);
    return object;
  }

  create(body: unknown, extra: Extra = {}): void {
    const path = collectionPath(this.served) + writeOptions(this.#chance, this.#always);
    this.#add("POST", path, "create", { body, ...extra });
  }

  /** PUT of the whole object, or of what was read with a change in it. */
  update(): void {
    const path = this.#object + writeOptions(this.#chance, this.#always);
    if (this.#chance.percent(60)) {
      const changed = this.mutated(1);
      delete changed["metadata"];
      this.#add("PUT", path, "update", { body: changed, ontoLast: true });
      return;
    }
    const body = this.mutated(1);
    if (isJson(body["metadata"]) && this.#chance.percent(70)) body["metadata"]["resourceVersion"] = "{{rv}}";
    this.#add("PUT", path, "update", { body });
  }

  patch(subresource = ""): void {
    const [type, body] = this.#patchOf();
    const path = this.#at(subresource) + writeOptions(this.#chance, this.#always);
    const headers = { "content-type": type };
    const named =
      { [mergePatch]: "merge", [jsonPatch]: "json", [strategicPatch]: "strategic" }[type] ?? "other";
    this.#add("PATCH", path, `patch ${named}`, { headers, body, subresource });
  }

  apply(subresource = ""): void {
    const chance = this.#chance;
    const body = this.mutated(chance.below(2));
    if (subresource === "" && chance.percent(30)) delete body["spec"];
    const manager = chance.one([
      "fieldManager=manager-a",
      "fieldManager=manager-a",
      "fieldManager=manager-b",
      "x=y",
    ]);
    const force = chance.weighted([
      [5, []],
      [4, ["force=true"]],
      [1, ["force=false"]],
    ]);
    const path = this.#at(subresource) + writeOptions(chance, [...this.#always, manager, ...force]);
    this.#add("PATCH", path, "apply", { headers: { "content-type": applyYaml }, body, subresource });
  }

  get(subresource = ""): void {
    const chance = this.#chance;
    const options = chance.percent(10)
      ? `?${chance.one(["resourceVersion=0", "resourceVersion=x", "resourceVersion=99999999999", "pretty=true", "includeObject=Object", "includeObject=x"])}`
      : "";
    const accept = chance.percent(35) ? { headers: { accept: chance.one(acceptTypes) } } : {};
    const as = accept.headers === undefined ? "get" : "get as another form";
    this.#add("GET", this.#at(subresource) + options, as, { ...accept, subresource });
  }

  list(): void {
    const chance = this.#chance;
    const accept = chance.percent(40) ? { headers: { accept: chance.one(acceptTypes) } } : {};
    const include = chance.percent(20)
      ? [`includeObject=${chance.one(["Object", "None", "Metadata", "x"])}`]
      : [];
    const path = chance.percent(85)
      ? collectionPath(this.served)
      : collectionPath({ ...this.served, namespaced: false });
    this.#add("GET", path + listOptions(chance, include), "list", accept);
  }

  /** Two at a time, on to the end. */
  pages(): void {
    const selector = `labelSelector=fuzz%3D${TOKEN}`;
    const path = collectionPath(this.served);
    this.#add("GET", `${path}?limit=1&${selector}`, "list");
    this.#add(
      "GET",
      `${path}?limit=${this.#chance.one(["1", "5"])}&${selector}&continue={{continue}}`,
      "list",
    );
  }

  /** What happened since the last answer; ends after a second. */
  watch(): void {
    const since = this.#chance.one([
      "&resourceVersion={{rv}}",
      "&resourceVersion=0",
      "",
      "&resourceVersion=1",
    ]);
    const name = `&fieldSelector=metadata.name%3D${TOKEN}`;
    this.#add("GET", `${collectionPath(this.served)}?watch=true&timeoutSeconds=1${name}${since}`, "watch");
  }

  delete(): void {
    const body = deleteBody(this.#chance);
    const path = this.#object + deleteOptions(this.#chance);
    this.#add("DELETE", path, "delete", body === undefined ? {} : { body });
  }

  deleteCollection(): void {
    const selector = `labelSelector=fuzz%3D${TOKEN}`;
    const path = collectionPath(this.served) + listOptions(this.#chance, [selector]);
    const body = deleteBody(this.#chance);
    this.#add("DELETE", path, "deletecollection", body === undefined ? {} : { body });
  }

  /** Status, scale and the others that the resource has. */
  subresource(): void {
    const chance = this.#chance;
    if (this.served.subresources.length === 0) return this.get();
    const { name, kind, verbs } = chance.one(this.served.subresources);
    if (["proxy", "exec", "attach", "portforward", "log"].includes(name)) return this.get();
    const verb = chance.one(verbs);
    if (verb === "get") this.get(name);
    else if (verb === "patch") {
      if (chance.percent(50)) this.patch(name);
      else this.apply(name);
    } else this.#writeSubresource(name, kind, verb);
  }

  /** Requests that no client should send. */
  odd(): void {
    const chance = this.#chance;
    const path = chance.one([
      this.#object,
      // Nothing but what is of the case is deleted.
      `${collectionPath(this.served)}?labelSelector=fuzz%3D${TOKEN}`,
      `${this.#object}/unknown`,
      `${this.#object}/status`,
      collectionPath(this.served, "none"),
    ]);
    const method = chance.one(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "FOO"]);
    const body = chance.one<unknown>([
      undefined,
      "",
      "{",
      "null",
      "[]",
      "1",
      '"x"',
      "{}",
      "a: b",
      '{"kind":"Pod"}',
      '{"apiVersion":"v1"}',
      '{"apiVersion":"v9","kind":"X"}',
      `{"a":${"[".repeat(200)}${"]".repeat(200)}}`,
    ]);
    const type = chance.one([
      mergePatch,
      jsonPatch,
      strategicPatch,
      applyYaml,
      "application/json",
      "application/yaml",
      "text/plain",
      "",
      "application/json; charset=utf-8",
      "application/apply-patch+cbor",
    ]);
    const headers = { "content-type": type };
    this.#add(method, path, `odd ${method}`, body === undefined ? {} : { body, headers });
  }

  /** The last step again, by somebody who may do less. */
  asAnother(): void {
    const last = this.steps.pop();
    if (last === undefined) return;
    const user = this.#chance.one([
      "viewer",
      "editor",
      "stranger",
      "anonymous",
      "nobody",
      "system:serviceaccount:{{ns}}:default",
    ]);
    this.steps.push({ ...last, user });
  }

  #writeSubresource(name: string, kind: string, verb: string): void {
    const chance = this.#chance;
    const method = verb === "create" ? "POST" : "PUT";
    const what = `${verb} ${name}`;
    const path = this.#at(name) + writeOptions(chance, this.#always);
    const metadata = { name: TOKEN, namespace: "{{ns}}" };
    if (kind === this.served.kind) {
      const changed = chance.percent(50) ? this.mutated(1) : {};
      const status = this.#mutations.values.of(this.#schema.properties?.["status"] ?? {}, "status", 8, 2);
      this.#add(method, path, what, {
        body: { ...changed, metadata: {}, status },
        ontoLast: true,
        subresource: name,
      });
      return;
    }
    const bodies: Readonly<Record<string, Json>> = {
      Scale: {
        apiVersion: "autoscaling/v1",
        spec: { replicas: chance.one<unknown>([0, 1, 5, -1, "1", null]) },
      },
      Eviction: { apiVersion: "policy/v1", deleteOptions: deleteBody(chance) },
      Binding: {
        apiVersion: "v1",
        target: { kind: chance.one(["Node", "Pod", ""]), name: chance.one(["n", "A b", ""]) },
      },
      TokenRequest: {
        apiVersion: "authentication.k8s.io/v1",
        spec: {
          expirationSeconds: chance.one<unknown>([600, 599, 0, null, "x"]),
          audiences: chance.one<unknown>([["a"], [], null, [""]]),
        },
      },
    };
    this.#add(method, path, what, { body: { kind, metadata, ...bodies[kind] }, subresource: name });
  }

  #at(subresource: string): string {
    return subresource === "" ? this.#object : `${this.#object}/${subresource}`;
  }

  #patchOf(): readonly [string, unknown] {
    const chance = this.#chance;
    const changed = this.mutated(1);
    const metadata = chance.one<Json>([
      {},
      { labels: { b: "c" } },
      { labels: { fuzz: null } },
      { annotations: { a: "1" } },
      { finalizers: ["example.com/f"] },
      { resourceVersion: "1" },
      { name: "other" },
    ]);
    if (chance.percent(35)) return [chance.one([mergePatch, strategicPatch]), { ...changed, metadata }];
    if (chance.percent(40)) return [strategicPatch, { metadata, ...directives(chance) }];
    return [jsonPatch, operations(chance)];
  }

  #add(method: string, path: string, what: string, { subresource = "", ...extra }: Extra = {}): void {
    const kind = subresource === "" ? this.served.kind : `${this.served.kind}/${subresource}`;
    const headers = extra.body === undefined ? {} : { "content-type": "application/json" };
    const step = { method, path, user: "admin", what, kind, ...extra };
    this.steps.push({ ...step, headers: { ...headers, ...extra.headers } });
  }
}
