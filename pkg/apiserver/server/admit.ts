import { type Json, text } from "../../api/json.ts";
import type { TurnOfSteps } from "../../clock/turns.ts";
import { type Draft, type FieldError, type Findings, isInSteps } from "../kinds/kind.ts";
import { type Admission, type AdmissionAttributes, admitEverything, type BodyKind } from "./admission.ts";
import type { Call } from "./call.ts";
import { matchNamespace } from "./match-namespace.ts";
import type { WriteQuery } from "./query-options.ts";
import type { ServedResource } from "./served-resource.ts";
import { asOlder, type Named, invalid } from "./status-error.ts";

type Facts = Pick<AdmissionAttributes, "operation" | "name" | "before"> &
  Partial<Pick<AdmissionAttributes, "bodyKind">> & {
    /** Where they are not in the query. */
    readonly options?: ReturnType<AdmissionAttributes["options"]>;
    /** Of an object without a name. */
    readonly generateName?: string;
  };

export function admissionAttributes(
  call: Call,
  query: Pick<WriteQuery, "dryRun">,
  { operation, name, generateName = "", before, options, bodyKind }: Facts,
): AdmissionAttributes {
  const { served, registry } = call;
  return {
    operation,
    resource: served.resource,
    subresource: call.info.subresource,
    namespace: call.info.namespace,
    name,
    refusedName: name || generateName || "Unknown",
    pathName: call.info.name,
    before,
    user: call.user,
    dryRun: query.dryRun,
    options: () => options ?? writeOptions(call, operation),
    served,
    equivalents: () => registry.all().filter((other) => isEquivalent(call, other)),
    servedKind: (apiVersion, kind) => registry.findKind(apiVersion, kind),
    turns: call.turns,
    bodyKind,
    warn: (message) => call.warnings.push(message),
    scope: call.scope,
  };
}

/** The same objects, with the same subresource. */
function isEquivalent({ served, info: { subresource } }: Call, other: ServedResource): boolean {
  if (other === served || other.bucket !== served.bucket) return false;
  return subresource === "" || other.subresources.has(subresource);
}

const optionsKinds = { CREATE: "CreateOptions", UPDATE: "UpdateOptions" } as const;

/** As the client gave them, in the query. */
function writeOptions(
  { request: { query } }: Call,
  operation: AdmissionAttributes["operation"],
): ReturnType<AdmissionAttributes["options"]> {
  if (operation === "CONNECT" || operation === "DELETE") return undefined;
  const given = ["fieldManager", "fieldValidation"].flatMap((name) => {
    const value = query.get(name) ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  return {
    kind: optionsKinds[operation],
    apiVersion: "meta.k8s.io/v1",
    ...(query.has("dryRun") ? { dryRun: query.getAll("dryRun") } : {}),
    ...Object.fromEntries(given),
  };
}

/** The call as one that nobody outside of this process has a say in: they have had it. */
export function withinServer(call: Call): Call {
  return { ...call, admission: withinOf(call.admission) };
}

export function withinOf(admission: Admission): Admission {
  return admission.within ?? admission;
}

/** Asks those outside what they make of the body of a subresource, or of what is not stored at all. */
export async function admitBody(
  call: Call,
  query: Pick<WriteQuery, "dryRun">,
  facts: Facts & { readonly bodyKind: BodyKind },
  body: Draft,
): Promise<void> {
  const { outside = admitEverything } = call.admission;
  const attributes = admissionAttributes(call, query, facts);
  await outside.mutate(attributes, body);
  await outside.validate(attributes, body);
}

/** As `admitBody`, for what is created below an object: it lies where that lies. */
export async function admitSubresource(
  call: Call,
  query: Pick<WriteQuery, "dryRun">,
  bodyKind: BodyKind,
  body: Json,
): Promise<void> {
  if (call.admission.outside === undefined) return;
  const draft = body as Draft;
  draft["metadata"] ??= {};
  matchNamespace(draft, call);
  const name = call.info.name || text(draft.metadata, "name");
  await admitBody(call, query, { operation: "CREATE", name, before: undefined, bodyKind }, draft);
}

export async function findings(
  turns: TurnOfSteps,
  found: Findings | undefined,
): Promise<readonly FieldError[]> {
  if (found === undefined) return [];
  return isInSteps(found) ? turns.run(found) : found;
}

/** Throws a 422 when there are errors. */
export function requireValid(
  resource: Named & { readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): void {
  if (errors.length > 0) throw invalid(asOlder(resource), name, errors);
}
