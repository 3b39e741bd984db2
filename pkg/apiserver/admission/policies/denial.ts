import { text } from "../../../api/json.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import type { Draft } from "../../kinds/kind.ts";
import { forbidden, StatusError } from "../../server/status-error.ts";

/** upstream: apiserver/pkg/admission/errors.go#NewForbidden */
export function forbiddenRequest(
  { name, resource }: AdmissionAttributes,
  object: Draft | undefined,
  why: string,
): StatusError {
  return forbidden(resource, name || nameOfObject(object), why);
}

/** Before it gets one. */
function nameOfObject(object: Draft | undefined): string {
  return text(object?.metadata, "name") || text(object?.metadata, "generateName") || "Unknown!";
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
  object: Draft | undefined,
  { code, reason, message, causes }: Denial,
): StatusError {
  const { details } = forbiddenRequest(attributes, object, message).status;
  return new StatusError(code, reason, message, {
    details: { ...details, causes: causes.map((cause) => ({ message: cause })) },
  });
}
