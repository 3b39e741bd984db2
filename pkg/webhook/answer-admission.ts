import { deepFreeze } from "../api/freeze.ts";
import { child, flag, isJson, type Json, optionalText, strings, text } from "../api/json.ts";
import { isObject } from "../api/patch/json.ts";
import { jsonPatchBetween } from "../api/patch/json-patch-diff.ts";
import type { ApiObject } from "../api/object.ts";
import type { Logger } from "../log/logger.ts";
import { type Admission, type AdmissionUser, type Denial, DeniedError, type Operation } from "./admission.ts";
import { ReplyError } from "./reply.ts";
import type { Hook } from "./webhook.ts";

const REVIEW = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
const OPERATIONS: readonly Operation[] = ["CREATE", "UPDATE", "DELETE", "CONNECT"];
const FORBIDDEN = 403;

export interface Asking {
  /** Whether the object may be changed. */
  readonly isMutating: boolean;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The review with its response. Throws a ReplyError for what is no question. */
export async function answerAdmission(hook: Hook, review: unknown, asking: Asking): Promise<Json> {
  const request = requestOf(review);
  const warnings: string[] = [];
  const audit: Record<string, string> = {};
  const admission = admissionOf(request, { ...asking, warnings, audit });
  const beside = (): Json => ({
    ...(warnings.length > 0 && { warnings }),
    ...(Object.keys(audit).length > 0 && { auditAnnotations: audit }),
  });
  const respond = (response: Json): Json => ({
    ...REVIEW,
    response: { uid: text(request, "uid"), ...response, ...beside() },
  });
  const object = objectOf(request, admission);
  try {
    const decided: unknown = await hook.decide(object, admission);
    return respond({ allowed: true, ...(asking.isMutating && patchOf(object, decided)) });
  } catch (error) {
    if (!(error instanceof DeniedError)) throw error;
    return respond({ allowed: false, status: statusOf(error.message, error.denial) });
  }
}

function requestOf(review: unknown): Json {
  if (!isJson(review) || review["apiVersion"] !== REVIEW.apiVersion || review["kind"] !== REVIEW.kind)
    throw new ReplyError(400, `an ${REVIEW.kind} of ${REVIEW.apiVersion} is expected`);
  const request = child(review, "request");
  if (request === undefined || text(request, "uid") === "")
    throw new ReplyError(400, "the review has no request with a uid");
  return request;
}

function objectOf(request: Json, { operation, before }: Admission<ApiObject>): ApiObject {
  const object = operation === "DELETE" ? before : apiObject(request["object"]);
  if (object === undefined) throw new ReplyError(400, `the request to ${operation} is about no object`);
  return object;
}

/** Frozen: what is changed in it would be lost. */
function apiObject(value: unknown): ApiObject | undefined {
  if (!isJson(value)) return undefined;
  if (!isJson(value["metadata"])) throw new ReplyError(400, "an object has no metadata");
  // The API server has checked it before it asks.
  return deepFreeze(value) as unknown as ApiObject;
}

function admissionOf(
  request: Json,
  {
    warnings,
    audit,
    log,
    signal,
  }: Asking & { readonly warnings: string[]; readonly audit: Record<string, string> },
): Admission<ApiObject> {
  const operation = OPERATIONS.find((one) => one === request["operation"]);
  if (operation === undefined)
    throw new ReplyError(400, `${JSON.stringify(request["operation"])} is no operation`);
  const [name, namespace] = [text(request, "name"), text(request, "namespace")];
  return {
    operation,
    before: apiObject(request["oldObject"]),
    name,
    namespace,
    subresource: text(request, "subResource"),
    user: userOf(child(request, "userInfo") ?? {}),
    dryRun: flag(request, "dryRun"),
    log: log.child({ uid: text(request, "uid"), operation, ...(namespace !== "" && { namespace }), name }),
    signal,
    warn: (message) => void warnings.push(message),
    audit: (key, value) => void (audit[key] = value),
    deny: (message, denial) => {
      throw new DeniedError(message, denial);
    },
  };
}

function userOf(user: Json): AdmissionUser {
  const uid = optionalText(user, "uid");
  const extra = child(user, "extra");
  return {
    username: text(user, "username"),
    groups: strings(user, "groups"),
    ...(uid !== undefined && { uid }),
    ...(extra !== undefined && {
      extra: Object.fromEntries(Object.keys(extra).map((key) => [key, strings(extra, key)])),
    }),
  };
}

function patchOf(object: ApiObject, decided: unknown): Json {
  if (decided === undefined) return {};
  if (!isObject(decided))
    throw new TypeError("a webhook must return the object as it is to be, or nothing where that is as it is");
  const operations = jsonPatchBetween(object, decided);
  if (operations.length === 0) return {};
  return { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(operations)).toString("base64") };
}

function statusOf(message: string, { reason = "Forbidden", code = FORBIDDEN, causes }: Denial): Json {
  return {
    status: "Failure",
    message,
    reason,
    code,
    ...(causes !== undefined && { details: { causes } }),
  };
}
