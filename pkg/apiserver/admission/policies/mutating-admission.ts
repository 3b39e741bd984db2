import type { ApiObject } from "../../../api/object.ts";
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from "../../../api/types/admissionregistration-v1.gen.ts";
import type { Namespace } from "../../../api/types/core-v1.gen.ts";
import type { Draft } from "../../kinds/kind.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import { AdmittedObjects } from "../matching/admitted-objects.ts";
import { inOwnNamespace, isExemptFromPolicies } from "../matching/exemptions.ts";
import { Reinvocation } from "../matching/reinvocation.ts";
import { denied } from "./denial.ts";
import { type CompiledMutatingPolicy, mutatingPolicies, mutate, MutationError } from "./mutating-policy.ts";
import { matchesOf, type PolicyMatch } from "./policy-matches.ts";
import { type BoundPolicy, PolicySource } from "./policy-source.ts";
import { meetsConditions, namespaceOf } from "./policy-values.ts";
import type { PolicyAdmissionOptions } from "./validating-admission.ts";

type Match = PolicyMatch<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, CompiledMutatingPolicy>;
type Bound = BoundPolicy<MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, CompiledMutatingPolicy>;

/** MutatingAdmissionPolicies. */
export class MutatingPolicyAdmission {
  readonly #options: PolicyAdmissionOptions;
  readonly #source;

  constructor(options: PolicyAdmissionOptions) {
    this.#options = options;
    this.#source = new PolicySource(options.store, mutatingPolicies);
  }

  /** Undefined where no policy has anything to say. */
  mutation(attributes: AdmissionAttributes): PolicyMutation | undefined {
    const policies = this.#source.all();
    if (policies.length === 0 || attributes.operation === "DELETE" || isExemptFromPolicies(attributes))
      return undefined;
    return new PolicyMutation(this.#options, policies, inOwnNamespace(attributes));
  }
}

/** What the policies make of one request, in a first round and in a second where others have changed the object since. */
class PolicyMutation {
  readonly #options: PolicyAdmissionOptions;
  readonly #policies: readonly Bound[];
  readonly #attributes: AdmissionAttributes;
  readonly #reinvocation = new Reinvocation();

  constructor(options: PolicyAdmissionOptions, policies: readonly Bound[], attributes: AdmissionAttributes) {
    this.#options = options;
    this.#policies = policies;
    this.#attributes = attributes;
  }

  /** Returns whether a policy has had its way, so that everybody should look at the object again. */
  async first(draft: Draft | undefined): Promise<boolean> {
    const isChanged = await this.#round(draft, () => true);
    this.#reinvocation.leave(draft);
    return isChanged;
  }

  async again(draft: Draft | undefined): Promise<void> {
    this.#reinvocation.find(draft);
    await this.#round(draft, (id) => this.#reinvocation.isDue(id));
  }

  /** Whom the request concerns is found out before anybody changes it. */
  async #round(draft: Draft | undefined, takesPart: (id: string) => boolean): Promise<boolean> {
    const { reader, store } = this.#options;
    const attributes = this.#attributes;
    const objects = new AdmittedObjects(attributes, draft);
    const matches = await matchesOf(this.#policies, { attributes, objects, reader }, store);
    const invoked = matches.some((match) => "params" in match && match.params.length > 0);
    const namespace = invoked ? namespaceOf(attributes, reader) : undefined;
    const refusals: string[] = [];
    for (const match of matches) {
      if ("params" in match) refusals.push(...(await this.#invoke(match, { objects, namespace, takesPart })));
    }
    if (objects.isChanged) this.#reinvocation.wakeAll();
    if (draft !== undefined) await objects.writeTo(draft);
    const unconfigured = matches.flatMap((match) =>
      "params" in match || match.policy.spec?.failurePolicy === "Ignore"
        ? []
        : [refusalOf(match.policy, match.binding, match.problem)],
    );
    this.#refuse(unconfigured, refusals);
    return objects.isChanged;
  }

  async #invoke(match: Match, round: Round): Promise<readonly string[]> {
    const { policy, binding, compiled, served, params } = match;
    const { objects, namespace, takesPart } = round;
    const refusals: string[] = [];
    const refuse = (problem: string): void => {
      if (!compiled.ignoresFailures) refusals.push(refusalOf(policy, binding, problem));
    };
    for (const param of params) {
      await objects.show(served);
      await this.#attributes.turns.step();
      const { rbac } = this.#options;
      const circumstances = { attributes: this.#attributes, served, objects, rbac, params: param, namespace };
      const isMeant = await this.#attributes.turns.run(meetsConditions(compiled, circumstances));
      if (typeof isMeant === "string") refuse(isMeant);
      const id = [policy, binding, ...(param === undefined ? [] : [param])].map(placeOf).join(" ");
      if (isMeant !== true || !takesPart(id)) continue;
      const before = objects.object;
      for (const mutation of compiled.mutations) {
        try {
          await mutate(mutation, compiled, circumstances);
        } catch (error) {
          if (!(error instanceof MutationError)) throw error;
          refuse(error.message);
        }
      }
      if (objects.object !== before) this.#reinvocation.wakeAll();
      if (compiled.reinvoked) this.#reinvocation.asked(id);
    }
    return refusals;
  }

  /** upstream: the answer has the code of what is forbidden, also where its reason is another. */
  #refuse(unconfigured: readonly string[], refusals: readonly string[]): void {
    const causes = [...unconfigured, ...refusals];
    const [message] = causes;
    if (message === undefined) return;
    const reason = unconfigured.length === 0 ? "Invalid" : "Forbidden";
    throw denied(this.#attributes, { code: 403, reason, message, causes });
  }
}

interface Round {
  readonly objects: AdmittedObjects;
  readonly namespace: Namespace | undefined;
  readonly takesPart: (id: string) => boolean;
}

function refusalOf(policy: ApiObject, binding: ApiObject | undefined, problem: string): string {
  const name = policy.metadata.name ?? "";
  return binding === undefined
    ? `policy ${JSON.stringify(name)} denied request: ${problem}`
    : `policy '${name}' with binding '${binding.metadata.name ?? ""}' denied request: ${problem}`;
}

const placeOf = ({ metadata: { namespace = "", name = "" } }: ApiObject): string => `${namespace}/${name}`;
