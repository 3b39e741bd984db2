import { sameValue } from "../../api/json.ts";
import type { ApiObject, ManagedFieldsEntry } from "../../api/object.ts";
import { inOneGo } from "../../api/steps.ts";
import { decodeManagers, ManagedFieldsError } from "../apply/managers.ts";
import type { Draft } from "../kinds/kind.ts";
import type { Admission, AdmissionAttributes } from "../server/admission.ts";
import type { AdmissionPlugin } from "./plugin.ts";
import type { WebhookAdmission } from "./webhooks/webhook-admission.ts";

/** In order, each seeing what the ones before have changed. */
export interface AdmissionChain {
  readonly plugins: readonly AdmissionPlugin[];
  readonly webhooks: WebhookAdmission | undefined;
  /** What upstream does while it stores: webhooks see nothing of it before, and all of it when they validate. */
  readonly storing: readonly AdmissionPlugin[];
  /** Once everybody else agrees. */
  readonly last: readonly AdmissionPlugin[];
}

export function admissionChain({ plugins, webhooks, storing, last }: AdmissionChain): Admission {
  const all = [...plugins, ...storing, ...last];
  const within: Admission = {
    mutate: async (attributes, draft) => mutateBy(all, attributes, draft),
    validate: async (attributes, object) => validateBy(all, attributes, object),
  };
  if (webhooks === undefined) return within;
  return {
    within,
    outside: {
      async mutate(attributes, draft) {
        const mutation = webhooks.mutation(attributes);
        if (mutation !== undefined && (await mutation.first(draft))) await mutation.again(draft);
      },
      validate: async (attributes, object) => webhooks.validate(attributes, object),
    },
    async mutate(attributes, draft) {
      mutateBy(plugins, attributes, draft);
      const mutation = webhooks.mutation(attributes);
      if (mutation !== undefined) {
        const managedFields = draft?.metadata["managedFields"];
        if (await mutation.first(draft)) {
          mutateBy(plugins, attributes, draft);
          await mutation.again(draft);
        }
        if (draft !== undefined) keepManagedFields(attributes, draft, managedFields);
      }
      mutateBy(storing, attributes, draft);
      mutateBy(last, attributes, draft);
    },
    async validate(attributes, object) {
      validateBy([...plugins, ...storing], attributes, object);
      await webhooks.validate(attributes, object);
      validateBy(last, attributes, object);
    },
  };
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

/** What a webhook has made of the ownership of fields holds where it can be read. */
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
