import type { Int64 } from "../../api/int64.ts";
import { FieldErrors } from "../kinds/field-errors.ts";
import { child, int64, optionalText, strings, type Json } from "../../api/json.ts";
import { definition } from "../../api/schema.ts";
import { quotedAsInGo } from "../../api/go-quote.ts";
import { checkBuiltInBody } from "../decode/check-body.ts";
import { interpret, UnreadableBody } from "../decode/json-body.ts";
import { requireObjectBody } from "./negotiate.ts";
import { checkDryRun, integerParameter } from "./query-options.ts";
import type { ApiRequest, RequestBody } from "./request.ts";
import { badRequest, invalid } from "./status-error.ts";

export interface DeleteOptions {
  readonly gracePeriodSeconds: Int64 | undefined;
  readonly propagationPolicy: "Orphan" | "Background" | "Foreground" | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly dryRun: boolean;
  /** The old form of the policy was given, asking for dependents to go as well. */
  readonly cascadeByOldFlag: boolean;
  readonly raw: Readonly<Json>;
}

const policies = ["Foreground", "Background", "Orphan"];

/** From the body, or, without one, from the query. */
export function readDeleteOptions(request: ApiRequest): DeleteOptions {
  if (request.body !== undefined) requireObjectBody(request.headers["content-type"]);
  const body = parseDeleteBody(request.body);
  return toDeleteOptions(body ?? fromQuery(request.query));
}

/** The options of an eviction are those of its delete. */
export function toDeleteOptions(raw: Json): DeleteOptions {
  const errors = new FieldErrors();
  const policy = optionalText(raw, "propagationPolicy");
  const orphan = raw["orphanDependents"];
  const dryRun = strings(raw, "dryRun");
  if (policy !== undefined && orphan !== undefined)
    errors.invalid(
      "propagationPolicy",
      policy,
      "orphanDependents and deletionPropagation cannot be both set",
    );
  if (policy !== undefined && !policies.includes(policy))
    errors.notSupported("propagationPolicy", policy, [...policies, "nil"]);
  checkDryRun(dryRun, errors);
  if (errors.list.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors.list);
  const grace = int64(raw, "gracePeriodSeconds");
  const preconditions = child(raw, "preconditions");
  return {
    // Negative grace counts as one second.
    gracePeriodSeconds: grace !== undefined && grace < 0 ? 1 : grace,
    propagationPolicy: policyOf(policy, orphan),
    uid: optionalText(preconditions, "uid"),
    resourceVersion: optionalText(preconditions, "resourceVersion"),
    dryRun: dryRun.length > 0,
    cascadeByOldFlag: orphan === false,
    raw,
  };
}

function policyOf(policy: string | undefined, orphan: unknown): DeleteOptions["propagationPolicy"] {
  if (orphan === true) return "Orphan";
  if (orphan === false) return "Background";
  return policy as DeleteOptions["propagationPolicy"];
}

function parseDeleteBody(body: RequestBody | undefined): Json | undefined {
  if (body === undefined || ("text" in body && body.text.trim() === "")) return undefined;
  const value = interpreted(body);
  const kind = value["kind"] ?? "DeleteOptions";
  if (kind !== "DeleteOptions") {
    const version = optionalText(value, "apiVersion") ?? "meta.k8s.io/v1";
    const named = `no kind ${JSON.stringify(kind)} is registered for version ${quotedAsInGo(version)}`;
    throw badRequest(
      `${named} in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"`,
    );
  }
  const { problem } = checkBuiltInBody(value, definition("meta.v1.DeleteOptions"));
  if (problem !== undefined) throw badRequest(problem);
  return value;
}

function interpreted(body: RequestBody): Json {
  try {
    return interpret(body);
  } catch (error) {
    if (error instanceof UnreadableBody) throw badRequest(error.message);
    throw error;
  }
}

function fromQuery(query: URLSearchParams): Json {
  const raw: Json = {};
  if (query.get("gracePeriodSeconds") === "")
    throw badRequest('strconv.ParseInt: parsing "": invalid syntax');
  const grace = integerParameter(query, "gracePeriodSeconds");
  const policy = query.get("propagationPolicy");
  const orphan = query.get("orphanDependents");
  if (grace !== undefined) raw["gracePeriodSeconds"] = grace;
  if (policy !== null) raw["propagationPolicy"] = policy;
  if (orphan !== null) raw["orphanDependents"] = orphan !== "false" && orphan !== "0";
  if (query.has("dryRun")) raw["dryRun"] = query.getAll("dryRun");
  // Of a collection the version is also that of the list.
  const given = ["uid", "resourceVersion"].map((name) => [name, query.get(name) ?? ""] as const);
  const preconditions = given.filter(([, value]) => value !== "");
  if (preconditions.length > 0) raw["preconditions"] = Object.fromEntries(preconditions);
  return raw;
}
