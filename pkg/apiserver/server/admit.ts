import type { FieldError } from "../kinds/kind.ts";
import type { AdmissionAttributes } from "./admission.ts";
import type { Call } from "./call.ts";
import type { WriteQuery } from "./query-options.ts";
import { type Named, invalid } from "./status-error.ts";

export function admissionAttributes(
  call: Call,
  query: Pick<WriteQuery, "dryRun">,
  { operation, name, before }: Pick<AdmissionAttributes, "operation" | "name" | "before">,
): AdmissionAttributes {
  return {
    operation,
    resource: call.served.resource,
    subresource: call.info.subresource,
    namespace: call.info.namespace,
    name,
    pathName: call.info.name,
    before,
    user: call.user,
    dryRun: query.dryRun,
    warn: (message) => call.warnings.push(message),
  };
}

/** Throws a 422 when there are errors. */
export function requireValid(
  resource: Named & { readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): void {
  if (errors.length > 0) throw invalid(resource, name, errors);
}
