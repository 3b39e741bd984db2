import { gatherSchemas } from "../../../controllers/validatingadmissionpolicystatus/sync-schemas.ts";
import { checkTypes } from "../../../controllers/validatingadmissionpolicystatus/type-check.ts";
import { inOneGo } from "../../../pkg/api/steps.ts";
import type {
  ExpressionWarning,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from "../../../pkg/api/types/admissionregistration-v1.gen.ts";
import type { OpenApiSchema } from "../../../pkg/cel/schemas/open-api-schema.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { stored } from "../../harness/stored.ts";

/** A resource that is offered, and what its objects look like. */
export interface NamedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly schema: OpenApiSchema;
}

/** Types are told apart by numbers that mean nothing. */
const NUMBERED = /\b([A-Z][A-Za-z]+?)\d+\b/g;

/** Checks policies with the schemas of an API server, as the controller does. */
export class PolicyChecker {
  readonly #client: ClientSet;

  constructor(client: ClientSet) {
    this.#client = client;
  }

  /** Those that are offered and of which the schema is known. */
  async kinds(): Promise<readonly NamedKind[]> {
    const kinds: NamedKind[] = [];
    for (const { group, version, plural, kind } of (await this.#client.discovery.surface()).resources) {
      const rule = { apiGroups: [group], apiVersions: [version], resources: [plural] };
      const found = await this.#schemas({ matchConstraints: { resourceRules: [rule] } });
      const schema = found.kinds.find((one) => one.kind.group === group)?.schema;
      if (schema !== undefined) kinds.push({ group, version, plural, kind, schema });
    }
    return kinds;
  }

  async warningsOf(spec: ValidatingAdmissionPolicySpec): Promise<readonly ExpressionWarning[]> {
    return plain(inOneGo(checkTypes(policyOf(spec), await this.#schemas(spec), 1)));
  }

  async #schemas(spec: ValidatingAdmissionPolicySpec): ReturnType<typeof gatherSchemas> {
    return gatherSchemas(policyOf(spec), { client: this.#client }, new AbortController().signal);
  }
}

function policyOf(spec: ValidatingAdmissionPolicySpec) {
  return stored<ValidatingAdmissionPolicy>({ metadata: { name: "p" }, spec });
}

/** Without the numbers of types. */
export function plain(warnings: readonly ExpressionWarning[]): readonly ExpressionWarning[] {
  return warnings.map(({ fieldRef, warning }) => ({
    fieldRef,
    warning: warning.replaceAll(NUMBERED, "$1#"),
  }));
}
