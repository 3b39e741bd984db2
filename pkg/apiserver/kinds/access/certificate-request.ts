import { formatTime } from "../../../api/time.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import { signerNames } from "../../../api/certificate-requests.ts";
import type { Steps } from "../../../api/steps.ts";
import { type CertificateRequest, readPemRequest } from "../../../pki/certificate-request.ts";
import { CertificateError } from "../../../pki/der-reader.ts";
import { certificatesProblem } from "../../../pki/parsed-certificate.ts";
import { checkRequestSignatureNow } from "../../../pki/signatures.ts";
import { FieldErrors } from "../field-errors.ts";
import { validateSignerName } from "./signer-name.ts";
import type { Json } from "../../../api/json.ts";
import {
  asJson,
  child,
  copyField,
  ensure,
  integer,
  items,
  present,
  sameValue,
  strings,
  text,
} from "../../../api/json.ts";
import { type Draft, type FieldError, isInSteps, type KindRules, type RuleContext } from "../kind.ts";
import { ageColumn, column, nameColumn, shortDuration } from "../table.ts";
import { repeatedPlaces } from "../repeated.ts";

const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];
const decisions = ["Approved", "Denied"];

/** The request says who asks; the client cannot. */
function recordRequester(draft: Draft, context: RuleContext): void {
  const spec = specOf(draft);
  for (const key of ["username", "uid", "groups", "extra"]) delete spec[key];
  if (context.user !== "") spec["username"] = context.user;
  const { requester } = context;
  if (requester?.uid !== undefined) spec["uid"] = requester.uid;
  if (requester !== undefined) spec["groups"] = [...requester.groups];
  if (requester?.extra !== undefined) spec["extra"] = structuredClone(requester.extra);
}

function prepareForUpdate(draft: Draft, before: Json, context: RuleContext): void {
  copyField(draft, before, "spec");
  if (context.subresource === "") return;
  const status = ensure(draft, "status");
  stampConditions(status, child(before, "status"), formatTime(context.nowMs));
  if (context.subresource === "approval") {
    const conditions = status["conditions"];
    copyField(draft, before, "status");
    // Without any it is an attempt to take back what was decided.
    ensure(draft, "status")["conditions"] = conditions ?? [];
  } else keepDecisions(status, child(before, "status"));
}

function stampConditions(status: Json, before: Json | undefined, now: string): void {
  for (const condition of items(status, "conditions")) {
    if (!present(condition, "lastUpdateTime")) condition["lastUpdateTime"] = now;
    if (present(condition, "lastTransitionTime")) continue;
    const same = items(before, "conditions").find(
      (old) =>
        text(old, "type") === text(condition, "type") && text(old, "status") === text(condition, "status"),
    );
    condition["lastTransitionTime"] = text(same, "lastTransitionTime") || now;
  }
}

/** Clients that do not know all fields of a condition must not strip them from a decision. */
function keepDecisions(status: Json, before: Json | undefined): void {
  const conditions = items(status, "conditions");
  for (const type of decisions) {
    const old = items(before, "conditions").filter((one) => text(one, "type") === type);
    const now = conditions.filter((one) => text(one, "type") === type);
    if (old.length !== now.length) continue;
    for (const [index, condition] of now.entries()) {
      conditions[conditions.indexOf(condition)] = structuredClone(old[index] ?? condition);
    }
  }
  if (conditions.length > 0) status["conditions"] = conditions;
}

const readRequests = new WeakMap<object, CertificateRequest>();

/** What a new object asks for, which has been validated: reading it again could take long. */
export function requestOf(object: object): CertificateRequest | undefined {
  return readRequests.get(object);
}

/** The signature is checked at once, which takes no longer for large requests than hashing them. */
function* validateX509(draft: Draft): Steps<readonly FieldError[]> {
  const errors = new FieldErrors();
  const given = text(specOf(draft), "request");
  try {
    const request = yield* readPemRequest(Buffer.from(given, "base64").toString("latin1"));
    checkRequestSignatureNow(request);
    readRequests.set(draft, request);
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    errors.invalid("spec.request", specOf(draft)["request"] ?? null, error.message);
  }
  return errors.list;
}

function validateRequest(draft: Draft, errors: FieldErrors): void {
  const spec = specOf(draft);
  const given = strings(spec, "usages");
  if (given.length === 0) errors.required("spec.usages");
  const repeated = repeatedPlaces(given);
  for (const [index, usage] of given.entries()) {
    if (!usages.includes(usage)) errors.notSupported(`spec.usages[${index}]`, usage, usages);
    if (repeated.has(index)) errors.duplicate(`spec.usages[${index}]`, usage);
  }
  const signer = text(spec, "signerName");
  if (signer === signerNames.legacyUnknown) {
    errors.invalid("spec.signerName", signer, "the legacy signerName is not allowed via this API version");
  } else validateSignerName("spec.signerName", signer, errors);
  const seconds = integer(spec, "expirationSeconds");
  if (seconds !== undefined && seconds < 600) {
    errors.invalid(
      "spec.expirationSeconds",
      seconds,
      "may not specify a duration less than 600 seconds (10 minutes)",
    );
  }
}

function validateConditions(draft: Draft, errors: FieldErrors): void {
  const path = "status.conditions";
  const seen = new Set<string>();
  for (const [index, condition] of items(child(draft, "status"), "conditions").entries()) {
    const type = text(condition, "type");
    const status = text(condition, "status");
    if (type === "") errors.required(`${path}[${index}].type`);
    if ([...decisions, "Failed"].includes(type)) {
      if (status !== "True") errors.notSupported(`${path}[${index}].status`, status, ["True"]);
    } else errors.oneOf(`${path}[${index}].status`, status, ["False", "True", "Unknown"]);
    if (decisions.includes(type) && decisions.some((other) => other !== type && seen.has(other))) {
      errors.invalid(path, type, "Approved and Denied conditions are mutually exclusive");
    }
    if (seen.has(type)) errors.duplicate(`${path}[${index}].type`, type);
    seen.add(type);
  }
}

/** A decision is final, and is taken through /approval alone. */
function validateDecisions(draft: Draft, before: Json, mayAdd: boolean, errors: FieldErrors): void {
  const path = "status.conditions";
  for (const type of [...decisions, "Failed"]) {
    const of = (object: Json): Json[] =>
      items(child(object, "status"), "conditions").filter((one) => text(one, "type") === type);
    const [now, old] = [of(draft), of(before)];
    const quoted = JSON.stringify(type);
    if (now.length < old.length)
      errors.forbidden(path, `updates may not remove a condition of type ${quoted}`);
    if (mayAdd || !decisions.includes(type)) continue;
    if (now.length > old.length) errors.forbidden(path, `updates may not add a condition of type ${quoted}`);
    else if (!sameValue(now, old))
      errors.forbidden(path, `updates may not modify a condition of type ${quoted}\n`);
  }
}

function statusCell(request: Json): string {
  const status = child(request, "status");
  const has = (type: string): boolean =>
    items(status, "conditions").some((one) => text(one, "type") === type);
  let shown = "Pending";
  if (has("Denied")) shown = "Denied";
  else if (has("Approved")) shown = "Approved";
  if (has("Failed")) shown += ",Failed";
  return text(status, "certificate") === "" ? shown : `${shown},Issued`;
}

const rules: KindSpec = {
  nameFormat: "pathSegment",
  prepareForCreate: recordRequester,
  prepareForUpdate,
  validate: validateRequest,
  validateUpdate(draft, before, errors, { subresource }) {
    if (subresource !== "approval") return;
    validateConditions(draft, errors);
    validateDecisions(draft, before, true, errors);
  },
  validateStatus(draft, before, errors) {
    validateConditions(draft, errors);
    validateDecisions(draft, before, false, errors);
    const [now = "", old = ""] = [draft, before].map((object) =>
      text(child(object, "status"), "certificate"),
    );
    if (now === old) return;
    const problem = certificatesProblem(now);
    if (problem !== undefined) errors.invalid("status.certificate", "<certificate data>", problem);
    if (old !== "")
      errors.forbidden("status.certificate", "updates may not modify existing certificate content");
  },
  selectableFields: (object) => ({ "spec.signerName": text(child(asJson(object), "spec"), "signerName") }),
  columns: [
    nameColumn,
    ageColumn,
    column("SignerName", (request) => text(child(request, "spec"), "signerName") || "<none>"),
    column("Requestor", (request) => text(child(request, "spec"), "username")),
    column("RequestedDuration", (request) => {
      const seconds = integer(child(request, "spec"), "expirationSeconds");
      return seconds === undefined ? "<none>" : shortDuration(seconds * 1000);
    }),
    column("Condition", statusCell),
  ],
};

const kind = defineKind(resources.certificateSigningRequests, rules);

export const certificateRequestKinds: readonly KindRules[] = [
  {
    ...kind,
    *validate(draft, context) {
      const found = kind.validate?.(draft, context) ?? [];
      return [...(yield* validateX509(draft)), ...(isInSteps(found) ? yield* found : found)];
    },
  },
];
