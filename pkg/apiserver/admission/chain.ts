import { sameValue } from "../../api/json.ts";
import type { ApiObject, ManagedFieldsEntry } from "../../api/object.ts";
import { inOneGo } from "../../api/steps.ts";
import { decodeManagers, ManagedFieldsError } from "../apply/managers.ts";
import type { Draft } from "../kinds/kind.ts";
import type { Admission, AdmissionAttributes } from "../server/admission.ts";
import type { AdmissionPlugin } from "./plugin.ts";
import type { MutatingPolicyAdmission } from "./policies/mutating-admission.ts";
import type { ValidatingPolicyAdmission } from "./policies/validating-admission.ts";
import type { WebhookAdmission } from "./webhooks/webhook-admission.ts";

/** In order, each seeing what the ones before have changed. */
export interface AdmissionChain {
  readonly plugins: readonly AdmissionPlugin[];
  /** Those of them that look at what is created below an object, too. */
  readonly below: readonly AdmissionPlugin[];
  readonly policies: {
    readonly mutating: MutatingPolicyAdmission;
    readonly validating: ValidatingPolicyAdmission;
  };
  readonly webhooks: WebhookAdmission | undefined;
  /** What upstream does while it stores: policies and webhooks see nothing of it before, and all of it when they validate. */
  readonly storing: readonly AdmissionPlugin[];
  /** Once everybody else agrees. */
  readonly last: readonly AdmissionPlugin[];
}

export function admissionChain(chain: AdmissionChain): Admission {
  const { plugins, below, policies, webhooks, storing, last } = chain;
  const all = [...plugins, ...storing, ...last];
  const within: Admission = {
    mutate: async (attributes, draft) => mutateBy(all, attributes, draft),
    validate: async (attributes, object) => validateBy(all, attributes, object),
  };
  const validating = [...plugins, ...storing];
  const validateOutside: Admission["validate"] = async (attributes, object) => {
    await policies.validating.validate(attributes, object);
    await webhooks?.validate(attributes, object);
  };
  return {
    within,
    outside: {
      async mutate(attributes, draft) {
        mutateBy(below, attributes, draft);
        await mutateOutside(mutationsOf(chain, attributes), draft, () => undefined);
      },
      validate: validateOutside,
    },
    async mutate(attributes, draft) {
      mutateBy(plugins, attributes, draft);
      const managedFields = draft?.metadata["managedFields"];
      const mutations = mutationsOf(chain, attributes);
      const isAsked = mutations.length > 0;
      if (isAsked) await mutateOutside(mutations, draft, () => mutateBy(plugins, attributes, draft));
      if (isAsked && draft !== undefined) keepManagedFields(attributes, draft, managedFields);
      mutateBy(storing, attributes, draft);
      mutateBy(last, attributes, draft);
    },
    async validate(attributes, object) {
      validateBy(validating, attributes, object);
      const isAsked = policies.validating.concerns(attributes) || webhooks?.validates(attributes);
      if (isAsked === true) await validateOutside(attributes, object);
      validateBy(last, attributes, object);
    },
  };
}

interface Mutation {
  first(draft: Draft | undefined): Promise<boolean>;
  again(draft: Draft | undefined): Promise<void>;
}

/** Those outside who have a say in the request: mostly nobody. */
function mutationsOf(
  { policies, webhooks }: AdmissionChain,
  attributes: AdmissionAttributes,
): readonly Mutation[] {
  const ofPolicies = policies.mutating.mutation(attributes);
  const ofWebhooks = webhooks?.mutation(attributes);
  if (ofPolicies === undefined) return ofWebhooks === undefined ? nobody : [ofWebhooks];
  return ofWebhooks === undefined ? [ofPolicies] : [ofPolicies, ofWebhooks];
}

const nobody: readonly Mutation[] = [];

/** Policies and webhooks, and all of them once more where one has changed the object. */
async function mutateOutside(
  mutations: readonly Mutation[],
  draft: Draft | undefined,
  between: () => void,
): Promise<void> {
  let isChanged = false;
  for (const mutation of mutations) if (await mutation.first(draft)) isChanged = true;
  if (isChanged) {
    between();
    for (const mutation of mutations) await mutation.again(draft);
  }
}

function mutateBy(
  plugins: readonly AdmissionPlugin[],
  attributes: AdmissionAttributes,
  draft: Draft | undefined,
): void {
  for (const plugin of plugins) plugin.mutate?.(attributes, draft);
}

function validateBy(
  plugins: readonly AdmissionPlugin[],
  attributes: AdmissionAttributes,
  object: ApiObject | undefined,
): void {
  for (const plugin of plugins) plugin.validate?.(attributes, object);
}

/** What somebody has made of the ownership of fields holds where it can be read. */
function keepManagedFields(attributes: AdmissionAttributes, draft: Draft, before: unknown): void {
  const { metadata } = draft;
  const after = metadata["managedFields"];
  if (sameValue(before, after)) return;
  try {
    inOneGo(decodeManagers((after ?? []) as readonly ManagedFieldsEntry[]));
  } catch (error) {
    if (!(error instanceof ManagedFieldsError)) throw error;
    metadata["managedFields"] = before;
    attributes.warn(
      ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating " +
        `admission controller; please fix your requests: ${error.message}`,
    );
  }
}
