import type { Status } from "../../../api/object.ts";
import type { Random } from "../../../clock/random.ts";
import { randomUuid } from "../../../clock/random.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import type { ServedResource } from "../../server/served-resource.ts";
import { badRequest, internalError, StatusError } from "../../server/status-error.ts";
import type { WebhookCallError } from "../../webhook-client/webhook-call-error.ts";
import type { WebhookClient } from "../../webhook-client/webhook-client.ts";
import {
  admissionReview,
  type AdmissionVerdict,
  readVerdict,
  REVIEW_GROUP,
  reviewVersion,
} from "./admission-review.ts";
import type { AdmittedObjects } from "../matching/admitted-objects.ts";
import type { Webhook } from "./webhook.ts";

export interface Asking {
  readonly client: WebhookClient;
  readonly random: Random;
}

/** Whom to ask, and in which version of the resource. */
export interface Invocation {
  readonly webhook: Webhook;
  readonly served: ServedResource;
  readonly mutating: boolean;
}

const DEFAULT_TIMEOUT_SECONDS = 10;

/** Throws a StatusError for a refusal, a WebhookCallError where there is no answer. */
export async function askWebhook(
  { client, random }: Asking,
  { webhook, served, mutating }: Invocation,
  attributes: AdmissionAttributes,
  objects: AdmittedObjects,
): Promise<AdmissionVerdict> {
  const { spec } = webhook;
  if (attributes.dryRun && spec.sideEffects !== "None" && spec.sideEffects !== "NoneOnDryRun")
    throw badRequest(`admission webhook ${JSON.stringify(spec.name)} does not support dry run`);
  const version = reviewVersion(spec.admissionReviewVersions);
  const uid = randomUuid(random);
  const answer = await client.ask({
    config: spec.clientConfig,
    review: admissionReview(version, uid, attributes, { served, objects }),
    kind: { group: REVIEW_GROUP, version, kind: "AdmissionReview" },
    timeoutSeconds: spec.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
  });
  const verdict = readVerdict(answer, uid, version, mutating);
  for (const warning of verdict.warnings) if (warning !== "") attributes.warn(warning);
  if (!verdict.allowed) throw refusal(spec.name, verdict.status ?? {});
  return verdict;
}

/** upstream: apiserver/pkg/admission/plugin/webhook/errors/statuserror.go#ToStatusErr */
function refusal(name: string, status: Partial<Status>): StatusError {
  const { code = 0, reason, message = "", details } = status;
  const deniedBy = `admission webhook ${JSON.stringify(name)} denied the request`;
  const said = message === "" ? (reason ?? "") : message;
  return new StatusError(
    code < 400 ? 400 : code,
    reason === "" ? undefined : reason,
    said === "" ? `${deniedBy} without explanation` : `${deniedBy}: ${said}`,
    details === undefined ? {} : { details },
  );
}

/** What becomes of a webhook that could not be asked: undefined where its policy is to go on without it. */
export function failureOf({ spec }: Webhook, error: WebhookCallError): StatusError | undefined {
  if (spec.failurePolicy === "Ignore") return undefined;
  return internalError(`failed calling webhook ${JSON.stringify(spec.name)}: ${error.message}`, error);
}
