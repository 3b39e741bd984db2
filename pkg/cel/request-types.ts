// What expressions about requests may speak of, and of what types that is.

import { kubernetesEnvironment } from "./compile.ts";
import { parseType } from "./declarations.ts";
import type { Declaration, Environment, TypeProvider } from "./environment.ts";
import { jsonPatchOverloads } from "./library/json-patch.ts";
import { dynType, stringType, structType, type Type, variablesType } from "./types.ts";
import { type DeclaredType, typesIn } from "./schemas/declared-type.ts";

const prefix = "kubernetes.";
const structs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [`${prefix}GroupVersionKind`]: { group: "string", version: "string", kind: "string" },
  [`${prefix}GroupVersionResource`]: { group: "string", version: "string", resource: "string" },
  [`${prefix}UserInfo`]: {
    username: "string",
    uid: "string",
    groups: "list(string)",
    extra: "map(string, list(string))",
  },
  [`${prefix}NamespaceSpec`]: { finalizers: "list(string)" },
  [`${prefix}NamespaceCondition`]: {
    status: "string",
    type: "string",
    lastTransitionTime: "timestamp",
    message: "string",
    reason: "string",
  },
  [`${prefix}NamespaceStatus`]: { conditions: `list(${prefix}NamespaceCondition)`, phase: "string" },
  [`${prefix}NamespaceMetadata`]: {
    name: "string",
    generateName: "string",
    namespace: "string",
    labels: "map(string, string)",
    annotations: "map(string, string)",
    UID: "string",
    creationTimestamp: "timestamp",
    deletionGracePeriodSeconds: "int",
    deletionTimestamp: "timestamp",
    generation: "int",
    resourceVersion: "string",
    finalizers: "list(string)",
  },
  [`${prefix}Namespace`]: {
    metadata: `${prefix}NamespaceMetadata`,
    spec: `${prefix}NamespaceSpec`,
    status: `${prefix}NamespaceStatus`,
  },
  [`${prefix}AdmissionRequest`]: {
    kind: `${prefix}GroupVersionKind`,
    resource: `${prefix}GroupVersionResource`,
    subResource: "string",
    requestKind: `${prefix}GroupVersionKind`,
    requestResource: `${prefix}GroupVersionResource`,
    requestSubResource: "string",
    name: "string",
    namespace: "string",
    operation: "string",
    userInfo: `${prefix}UserInfo`,
    dryRun: "bool",
    options: "dyn",
  },
};

const types: TypeProvider = {
  hasStruct: (name) => Object.hasOwn(structs, name),
  fieldType: (struct, field) => {
    const name = structs[struct]?.[field];
    return name === undefined ? undefined : parseType(name);
  },
};

/** What every expression about a request may speak of. */
const requestVariables: readonly Declaration[] = [
  { name: "object", type: dynType },
  { name: "oldObject", type: dynType },
  { name: "namespaceObject", type: structType(`${prefix}Namespace`) },
  { name: "request", type: structType(`${prefix}AdmissionRequest`) },
];
const authorizerVariables: readonly Declaration[] = [
  { name: "authorizer", type: structType(`${prefix}authorization.Authorizer`) },
  { name: "authorizer.requestResource", type: structType(`${prefix}authorization.ResourceCheck`) },
];

/** For the expressions of webhooks. */
export const requestEnvironment: Environment = kubernetesEnvironment.with(
  [...requestVariables, ...authorizerVariables],
  types,
);

export const VARIABLES = variablesType.name;
export const PATCHED_OBJECT = "Object";
export const JSON_PATCH = "JSONPatch";

/** What the expressions of a policy may speak of. */
export interface PolicyScope {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Whether objects and patches can be made. */
  readonly patches?: boolean;
}

/** For the expressions of a policy, with these variables of its own; undefined: none can be spoken of. */
export function policyEnvironment(
  { params, authorizer, patches = false }: PolicyScope,
  variables: ReadonlyMap<string, Type> | undefined,
): Environment {
  const own: TypeProvider = {
    hasStruct: (name) =>
      (name === VARIABLES && variables !== undefined) ||
      types.hasStruct(name) ||
      (patches && isPatchType(name)),
    fieldType(struct, field) {
      if (struct === VARIABLES) return variables?.get(field);
      return patches && isPatchType(struct) ? patchFieldType(struct, field) : types.fieldType(struct, field);
    },
  };
  const base = patches ? kubernetesEnvironment.withFunctions(jsonPatchOverloads) : kubernetesEnvironment;
  return base.with(
    [
      ...requestVariables,
      ...(params ? [{ name: "params", type: dynType }] : []),
      ...(authorizer ? authorizerVariables : []),
      ...(variables === undefined ? [] : [{ name: "variables", type: structType(VARIABLES) }]),
    ],
    own,
  );
}

/** What is known of the types of what an expression of a policy speaks of. */
export interface KnownTypes {
  /** Undefined: nothing is known of it. */
  readonly object: DeclaredType | undefined;
  /** Undefined: there are none. */
  readonly params: { readonly type: DeclaredType | undefined } | undefined;
}

/** To find out which fields and operators there are not, unlike `policyEnvironment`, where objects may be anything. */
export function typedPolicyEnvironment(
  { object, params }: KnownTypes,
  variables: ReadonlyMap<string, Type>,
): Environment {
  const known = [types, ...[object, params?.type].filter((type) => type !== undefined).map(typesIn)];
  const own: TypeProvider = {
    hasStruct: (name) => name === VARIABLES || known.some((one) => one.hasStruct(name)),
    fieldType: (struct, field) =>
      struct === VARIABLES
        ? variables.get(field)
        : known.find((one) => one.hasStruct(struct))?.fieldType(struct, field),
  };
  const objectType = object?.type ?? dynType;
  return kubernetesEnvironment.with(
    [
      ...requestVariables.filter(({ type }) => type !== dynType),
      { name: "object", type: objectType },
      { name: "oldObject", type: objectType },
      ...(params === undefined ? [] : [{ name: "params", type: params.type?.type ?? dynType }]),
      // upstream: typechecking.go#buildEnvSet does not declare authorizer.requestResource.
      ...authorizerVariables.filter(({ name }) => name === "authorizer"),
      { name: "variables", type: structType(VARIABLES) },
    ],
    own,
  );
}

/** Objects are typed by where they are: Object.spec.template is what Object has at spec and template. */
function isPatchType(name: string): boolean {
  return name === JSON_PATCH || name === PATCHED_OBJECT || name.startsWith(`${PATCHED_OBJECT}.`);
}

function patchFieldType(struct: string, field: string): Type | undefined {
  if (struct !== JSON_PATCH || field === "value") return dynType;
  return ["op", "path", "from"].includes(field) ? stringType : undefined;
}
