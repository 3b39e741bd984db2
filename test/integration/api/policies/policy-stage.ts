import { until } from "../../../harness/until.ts";
import type { Answer, ApiClient } from "../api-client.ts";

export type Json = Record<string, unknown>;
export type Sort = "mutating" | "validating";

const base = "/apis/admissionregistration.k8s.io/v1";
export const policies = (sort: Sort): string => `${base}/${sort}admissionpolicies`;
export const bindings = (sort: Sort): string => `${base}/${sort}admissionpolicybindings`;

export const rule = (
  resources: readonly string[],
  operations: readonly string[] = ["CREATE"],
  more: Json = {},
): Json => ({ apiGroups: ["*"], apiVersions: ["*"], operations, resources, ...more });

/** A policy and one way to bind it, as cases write them: what goes without saying is filled in. */
export interface Policy {
  readonly spec: Json;
  readonly binding?: Json;
  /** Further bindings, by what follows the policy's name in theirs. */
  readonly bindings?: Readonly<Record<string, Json>>;
}

const onConfigMaps = { resourceRules: [rule(["configmaps"])] };

/** Policies on one server: each is about a namespace of its own. */
export class PolicyStage {
  readonly #api: ApiClient;
  #count = 0;

  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Creates a policy for the requests in a namespace, which it labels. */
  async create(sort: Sort, name: string, namespace: string, policy: Policy): Promise<void> {
    const own = inNamespace(namespace)["matchResources"] as Json | undefined;
    const { matchConstraints = onConfigMaps, ...spec } = policy.spec;
    const match = { ...own, ...(matchConstraints as Json) };
    const defaults = sort === "mutating" ? mutatingDefaults : {};
    await this.#post(policies(sort), {
      metadata: { name },
      spec: { ...defaults, ...spec, matchConstraints: match },
    });
    const all = { [`${name}-binding`]: policy.binding ?? {}, ...policy.bindings };
    for (const [bindingName, binding] of Object.entries(all))
      await this.bind(sort, bindingName, { policyName: name, ...inNamespace(namespace), ...binding });
  }

  async bind(sort: Sort, name: string, spec: Json): Promise<void> {
    const actions = sort === "validating" ? { validationActions: ["Deny"] } : {};
    await this.#post(bindings(sort), { metadata: { name }, spec: { ...actions, ...spec } });
  }

  /** Resolves when all that was written before counts: so does a policy that is written now. */
  async settle(): Promise<void> {
    for (const sort of ["validating", "mutating"] as const) {
      const name = `settled-${sort}-${this.#count++}`;
      const label = `Object{metadata: Object.metadata{labels: {"settled": "yes"}}}`;
      const what =
        sort === "validating"
          ? { validations: [{ expression: "false" }] }
          : { ...mutatingDefaults, mutations: [applying(label)] };
      const matchConditions = [
        { name: "own", expression: `object.metadata.?name == optional.of('${name}')` },
      ];
      await this.#post(policies(sort), {
        metadata: { name },
        spec: { matchConstraints: { resourceRules: [rule(["configmaps"])] }, matchConditions, ...what },
      });
      await this.bind(sort, name, { policyName: name });
      await until(`${sort} policies count`, async () => {
        const { status, body } = await this.#api.send(
          "POST",
          "/api/v1/namespaces/default/configmaps?dryRun=All",
          { metadata: { name } },
        );
        return sort === "validating" ? status === 422 : body.metadata.labels?.["settled"] === "yes";
      });
    }
  }

  async #post(path: string, object: Json): Promise<void> {
    const { status, body } = await this.#api.send("POST", path, object);
    if (status !== 201) throw new Error(`${path}: ${body.message}`);
  }
}

const mutatingDefaults = { reinvocationPolicy: "Never" };

export const applying = (expression: string): Json => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
export const patching = (expression: string): Json => ({ patchType: "JSONPatch", jsonPatch: { expression } });

export const inNamespace = (namespace: string): Json =>
  namespace === ""
    ? {}
    : {
        matchResources: { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } },
      };

/** What cases look at: status, reason and message of a refusal, and the warnings. */
export function told({ status, body, headers }: Answer): Json {
  const warnings = [headers["warning"] ?? []].flat();
  return {
    status,
    ...(status < 400 ? {} : { reason: body.reason, message: body.message }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}
