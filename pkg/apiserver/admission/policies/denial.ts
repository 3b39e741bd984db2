import type { AdmissionAttributes } from "../../server/admission.ts";
import { forbidden, StatusError } from "../../server/status-error.ts";

/** upstream: apiserver/pkg/admission/errors.go#NewForbidden */
export function forbiddenRequest({ refusedName, resource }: AdmissionAttributes, why: string): StatusError {
  return forbidden(resource, refusedName, why);
}

export interface Denial {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly string[];
}

/** A refusal of a request, in words of its own. */
export function denied(
  attributes: AdmissionAttributes,
  { code, reason, message, causes }: Denial,
): StatusError {
  const { details } = forbiddenRequest(attributes, message).status;
  return new StatusError(code, reason, message, {
    details: { ...details, causes: causes.map((cause) => ({ message: cause })) },
  });
}
