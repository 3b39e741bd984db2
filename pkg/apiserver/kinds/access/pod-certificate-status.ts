import type { X509Certificate } from "node:crypto";
import { child, integer, items, type Json, sameValue, text } from "../../../api/json.ts";
import { inOneGo } from "../../../api/steps.ts";
import { parseTime } from "../../../api/time.ts";
import { readRequest } from "../../../pki/certificate-request.ts";
import { CertificateError } from "../../../pki/der-reader.ts";
import { parseCertificate } from "../../../pki/parsed-certificate.ts";
import { allPemBlocks } from "../../../pki/pem.ts";
import { type FieldErrors, omitted } from "../field-errors.ts";
import type { Draft } from "../kind.ts";
import { keyOf } from "./proof-of-possession.ts";

const ENDS = ["Issued", "Denied", "Failed"];
const LONGEST_CHAIN = 100 * 1024;
const CHAIN = "status.certificateChain";
const MINUTE_MS = 60_000;

/** upstream: pkg/apis/certificates/validation/validation.go#ValidatePodCertificateRequestStatusUpdate */
export function validatePodRequestStatus(
  draft: Draft,
  before: Json,
  errors: FieldErrors,
  nowMs: number,
): void {
  const status = child(draft, "status") ?? {};
  const old = child(before, "status") ?? {};
  validateConditions(status, errors);
  if (errors.list.length > 0) return;
  const immutable = (other: Json, detail: string): void => {
    if (!sameValue(withoutEmpty(status), withoutEmpty(other))) errors.invalid("status", omitted, detail);
  };
  if (endOf(old) !== undefined)
    return immutable(old, "immutable after PodCertificateRequest is issued, denied, or failed");
  const end = endOf(status);
  if (end === undefined)
    return immutable(old, 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"');
  if (end !== "Issued") {
    const { conditions } = status;
    return immutable(
      { conditions },
      "non-condition status fields must be empty when denying or failing the PodCertificateRequest",
    );
  }
  validateIssued(status, before, { errors, nowMs });
}

function endOf(status: Json): string | undefined {
  const end = items(status, "conditions").find(
    (condition) => ENDS.includes(text(condition, "type")) && text(condition, "status") === "True",
  );
  return end && text(end, "type");
}

function withoutEmpty(status: Json): Json {
  return Object.fromEntries(
    Object.entries(status).filter(
      ([, value]) => value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

function validateConditions(status: Json, errors: FieldErrors): void {
  let known = 0;
  for (const [index, condition] of items(status, "conditions").entries()) {
    const path = `status.conditions[${index}]`;
    const type = text(condition, "type");
    if (!ENDS.includes(type)) errors.notSupported(`${path}.type`, type, ENDS);
    else if (++known > 1)
      errors.invalid(
        `${path}.type`,
        type,
        'There may be at most one condition with type "Issued", "Denied", or "Failed"',
      );
    if (ENDS.includes(type) && text(condition, "status") !== "True")
      errors.notSupported(`${path}.status`, text(condition, "status"), ["True"]);
    if (text(condition, "reason") === "") errors.required(`${path}.reason`);
  }
}

interface Checking {
  readonly errors: FieldErrors;
  readonly nowMs: number;
}

function validateIssued(status: Json, before: Json, { errors, nowMs }: Checking): void {
  const chain = text(status, "certificateChain");
  const refuse = (detail: string): void => errors.invalid(CHAIN, chain, detail);
  if (chain.length > LONGEST_CHAIN) return errors.tooLong(CHAIN, LONGEST_CHAIN);
  const [leafBlock, ...others] = allPemBlocks(chain);
  if (leafBlock === undefined)
    return refuse("issued certificate chain must contain at least one certificate");
  if ([leafBlock, ...others].some(({ type }) => type !== "CERTIFICATE"))
    return refuse("issued certificate chain must consist entirely of CERTIFICATE PEM blocks");
  const leaf = certificateOf(leafBlock.bytes);
  if (leaf === undefined) return refuse("leaf certificate does not parse as valid X.509");
  if (!isOfKey(leaf, child(before, "spec")))
    return refuse("leaf certificate was not issued to the requested public key");
  validateTimes(status, leaf, { errors, nowMs });
  const lifetimeSeconds = (leaf.validToDate.getTime() - leaf.validFromDate.getTime()) / 1_000;
  const most = integer(child(before, "spec"), "maxExpirationSeconds") ?? 0;
  if (lifetimeSeconds < 3_600) refuse("leaf certificate lifetime must be >= 1 hour");
  if (lifetimeSeconds > most)
    refuse(`leaf certificate lifetime must be <= spec.maxExpirationSeconds (${most})`);
  if (others.some(({ bytes }) => certificateOf(bytes) === undefined))
    refuse("intermediate certificate does not parse as valid X.509");
}

function certificateOf(der: Buffer): X509Certificate | undefined {
  try {
    return parseCertificate(der).certificate;
  } catch (error) {
    if (error instanceof CertificateError) return undefined;
    throw error;
  }
}

function isOfKey(leaf: X509Certificate, spec: Json | undefined): boolean {
  const stub = Buffer.from(text(spec, "stubPKCS10Request"), "base64");
  const wanted =
    stub.length > 0
      ? inOneGo(readRequest(stub)).publicKey?.key
      : keyOf(Buffer.from(text(spec, "pkixPublicKey"), "base64"));
  return wanted !== undefined && leaf.publicKey.equals(wanted);
}

function validateTimes(status: Json, leaf: X509Certificate, { errors, nowMs }: Checking): void {
  const [notBeforeMs, notAfterMs, refreshMs] = ["notBefore", "notAfter", "beginRefreshAt"].map((name) =>
    parseTime(text(status, name) || undefined),
  );
  if (notBeforeMs === undefined)
    errors.required("status.notBefore", "must be present and consistent with the issued certificate");
  if (notAfterMs === undefined)
    errors.required("status.notAfter", "must be present and consistent with the issued certificate");
  if (refreshMs === undefined)
    errors.required(
      "status.beginRefreshAt",
      "must be present and in the range [notbefore+10min, notafter-10min]",
    );
  if (notBeforeMs === undefined || notAfterMs === undefined || refreshMs === undefined) return;
  const refuse = (name: string, detail: string): void =>
    errors.invalid(`status.${name}`, text(status, name), detail);
  if (notBeforeMs !== leaf.validFromDate.getTime())
    refuse("notBefore", "must be set to the NotBefore time encoded in the leaf certificate");
  else if (Math.abs(notBeforeMs - nowMs) >= 5 * MINUTE_MS)
    refuse("notBefore", "must be set to within 5 minutes of kube-apiserver's current time");
  if (notAfterMs !== leaf.validToDate.getTime())
    refuse("notAfter", "must be set to the NotAfter time encoded in the leaf certificate");
  if (refreshMs < notBeforeMs + 10 * MINUTE_MS)
    refuse("beginRefreshAt", "must be at least 10 minutes after status.notBefore");
  else if (refreshMs > notAfterMs - 10 * MINUTE_MS)
    refuse("beginRefreshAt", "must be at least 10 minutes before status.notAfter");
}
