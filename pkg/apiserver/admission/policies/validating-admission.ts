import { asJson } from "../../../api/json.ts";
import type { ApiObject } from "../../../api/object.ts";
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "../../../api/types/admissionregistration-v1.gen.ts";
import type { RbacAuthorizer } from "../../auth/rbac-authorizer.ts";
import type { Draft } from "../../kinds/kind.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import type { ServedResource } from "../../server/served-resource.ts";
import type { Store } from "../../storage/store.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import { AdmittedObjects } from "../matching/admitted-objects.ts";
import { inOwnNamespace, isExemptFromPolicies } from "../matching/exemptions.ts";
import { denied, forbiddenRequest } from "./denial.ts";
import { matchesOf, type PolicyMatch } from "./policy-matches.ts";
import { PolicySource } from "./policy-source.ts";
import { namespaceOf } from "./policy-values.ts";
import {
  type CompiledValidatingPolicy,
  type Refusal,
  validateByPolicy,
  validatingPolicies,
} from "./validating-policy.ts";

export interface PolicyAdmissionOptions {
  readonly store: Store;
  readonly reader: ClusterReader;
  /** Undefined: everybody may do everything. */
  readonly rbac: RbacAuthorizer | undefined;
}

type Match = PolicyMatch<
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  CompiledValidatingPolicy
>;

/** A refusal that counts, and whose it is. */
interface Denied extends Refusal {
  readonly policy: ApiObject;
  readonly binding: ApiObject | undefined;
}

/** ValidatingAdmissionPolicies. There is no audit log: what they want written there is only evaluated. */
export class ValidatingPolicyAdmission {
  readonly #options: PolicyAdmissionOptions;
  readonly #source;

  constructor(options: PolicyAdmissionOptions) {
    this.#options = options;
    this.#source = new PolicySource(options.store, validatingPolicies);
  }

  /** Whether there is any that may have something to say. */
  concerns(attributes: AdmissionAttributes): boolean {
    return this.#source.all().length > 0 && !isExemptFromPolicies(attributes);
  }

  /** All are evaluated; the first refusal counts. */
  async validate(given: AdmissionAttributes, object: ApiObject | undefined): Promise<void> {
    if (!this.concerns(given)) return;
    const policies = this.#source.all();
    const { reader, store } = this.#options;
    const attributes = inOwnNamespace(given);
    const draft = object === undefined ? undefined : (asJson(object) as Draft);
    const objects = new AdmittedObjects(attributes, draft);
    const matches = await matchesOf(policies, { attributes, objects, reader }, store);
    const views = new Views(attributes, draft);
    const refused: Denied[] = [];
    for (const match of matches) {
      if ("params" in match) refused.push(...(await this.#evaluate(match, attributes, views)));
      else if (match.policy.spec?.failurePolicy !== "Ignore")
        refused.push({ ...match, message: match.problem, reason: undefined });
    }
    const [first] = refused;
    if (first !== undefined) throw refusal(first, attributes);
  }

  async #evaluate(
    { policy, binding, compiled, served, params }: Match,
    attributes: AdmissionAttributes,
    views: Views,
  ): Promise<readonly Denied[]> {
    const { reader, rbac } = this.#options;
    const namespace = namespaceOf(attributes, reader);
    const refused: Denied[] = [];
    for (const param of params) {
      const objects = await views.in(served);
      const circumstances = { attributes, served, objects, rbac, params: param, namespace };
      const { refusals, failedAnnotations } = await attributes.turns.run(
        validateByPolicy(compiled, circumstances),
      );
      const actions = binding.spec?.validationActions ?? [];
      if (actions.includes("Deny")) refused.push(...refusals.map((one) => ({ ...one, policy, binding })));
      if (actions.includes("Warn")) {
        const [policyName, bindingName] = [nameOf(policy), nameOf(binding)];
        for (const { message } of refusals)
          attributes.warn(
            `Validation failed for ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}': ${message}`,
          );
      }
      refused.push(...failedAnnotations.map((one) => ({ ...one, policy, binding })));
    }
    return refused;
  }
}

/** The objects of a request in the versions that policies are about. */
class Views {
  readonly #attributes: AdmissionAttributes;
  readonly #object: Draft | undefined;
  readonly #known = new Map<ServedResource, AdmittedObjects>();

  constructor(attributes: AdmissionAttributes, object: Draft | undefined) {
    this.#attributes = attributes;
    this.#object = object;
  }

  async in(served: ServedResource): Promise<AdmittedObjects> {
    const known = this.#known.get(served);
    if (known !== undefined) return known;
    const objects = new AdmittedObjects(this.#attributes, this.#object);
    await objects.show(served);
    this.#known.set(served, objects);
    return objects;
  }
}

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

function refusal(
  { policy, binding, message, reason = "Invalid" }: Denied,
  attributes: AdmissionAttributes,
): Error {
  const by = binding === undefined ? "" : ` with binding '${nameOf(binding)}'`;
  const why = `ValidatingAdmissionPolicy '${nameOf(policy)}'${by} denied request: ${message}`;
  const { message: whole } = forbiddenRequest(attributes, why);
  return denied(attributes, { code: codes[reason] ?? 422, reason, message: whole, causes: [why] });
}

const nameOf = ({ metadata }: ApiObject): string => metadata.name ?? "";
