import { asJson, child, type Json, integer, items, present, sameValue, text } from "../../../api/json.ts";
import { dnsSubdomainProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { inOneGo } from "../../../api/steps.ts";
import { type CertificateRequest, readRequest } from "../../../pki/certificate-request.ts";
import { CertificateError } from "../../../pki/der-reader.ts";
import { checkRequestSignatureNow } from "../../../pki/signatures.ts";
import { defineKind, type KindSpec, specOf } from "../define-kind.ts";
import { type FieldErrors, omitted } from "../field-errors.ts";
import type { Draft, KindRules } from "../kind.ts";
import { column, nameColumn } from "../table.ts";
import { validatePodRequestStatus } from "./pod-certificate-status.ts";
import { hasSoundProof } from "./proof-of-possession.ts";
import { isKubernetesSigner, validateSignerName } from "./signer-name.ts";

const LONGEST_UID = 128;
const LONGEST_FIELD = 10 * 1024;
const HOUR_SECONDS = 3_600;
const STUB = "spec.stubPKCS10Request";

/** upstream: pkg/apis/certificates/validation/validation.go#ValidatePodCertificateRequestCreate */
function validate(draft: Draft, errors: FieldErrors): void {
  const spec = specOf(draft);
  const signerName = text(spec, "signerName");
  validateSignerName("spec.signerName", signerName, errors);
  for (const [name, uid] of [
    ["podName", "podUID"],
    ["serviceAccountName", "serviceAccountUID"],
    ["nodeName", "nodeUID"],
  ] as const) {
    errors.invalidEach(`spec.${name}`, text(spec, name), dnsSubdomainProblems(text(spec, name)));
    const value = text(spec, uid);
    if (value === "") errors.invalid(`spec.${uid}`, value, "must not be empty");
    if (value.length > LONGEST_UID) errors.tooLong(`spec.${uid}`, LONGEST_UID);
  }
  const seconds = integer(spec, "maxExpirationSeconds");
  if (seconds === undefined) return errors.required("spec.maxExpirationSeconds", "must be set");
  const most = HOUR_SECONDS * 24 * (isKubernetesSigner(signerName) ? 1 : 91);
  if (seconds < HOUR_SECONDS || seconds > most) {
    errors.invalid("spec.maxExpirationSeconds", seconds, `must be in the range [${HOUR_SECONDS}, ${most}]`);
  }
  validateKey(spec, errors);
}

function validateKey(spec: Json, errors: FieldErrors): void {
  const [stub, key, proof] = ["stubPKCS10Request", "pkixPublicKey", "proofOfPossession"].map((name) =>
    Buffer.from(text(spec, name), "base64"),
  );
  if (stub === undefined || key === undefined || proof === undefined) return;
  if (stub.length > 0 && key.length === 0 && proof.length === 0) return validateStub(stub, errors);
  if (stub.length > 0 || key.length === 0 || proof.length === 0) {
    const detail = "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set";
    return errors.invalid("spec", omitted, detail);
  }
  if (key.length > LONGEST_FIELD) return errors.tooLong("spec.pkixPublicKey", LONGEST_FIELD);
  if (proof.length > LONGEST_FIELD) return errors.tooLong("spec.proofOfPossession", LONGEST_FIELD);
  const problem = hasSoundProof({ key, proof, signed: Buffer.from(text(spec, "podUID")) });
  if (problem !== undefined) errors.invalid(`spec.${problem.field}`, omitted, problem.detail);
}

function validateStub(stub: Buffer, errors: FieldErrors): void {
  if (stub.length > LONGEST_FIELD) return errors.tooLong(STUB, LONGEST_FIELD);
  let request: CertificateRequest;
  try {
    request = inOneGo(readRequest(stub));
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    return errors.invalid(STUB, omitted, "must be a valid PKCS#10 CSR");
  }
  const problem = keyProblem(request);
  if (problem !== undefined) return errors.invalid(STUB, omitted, problem);
  try {
    checkRequestSignatureNow(request);
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    errors.invalid(STUB, omitted, "invalid signature");
  }
}

const RSA_BITS: ReadonlySet<number | undefined> = new Set([3_072, 4_096]);
const CURVES: ReadonlySet<string | undefined> = new Set(["prime256v1", "secp384r1", "secp521r1"]);

function keyProblem({ publicKey }: CertificateRequest): string | undefined {
  if (publicKey === undefined) return "unknown public key type; supported types are Ed25519, ECDSA, and RSA";
  const { modulusLength, namedCurve } = publicKey.key.asymmetricKeyDetails ?? {};
  if (publicKey.kind === "ec" && !CURVES.has(namedCurve))
    return "elliptic public keys must use curve P256, P384, or P521";
  if (publicKey.kind === "rsa" && !RSA_BITS.has(modulusLength))
    return "RSA keys must have modulus size 3072 or 4096";
  return undefined;
}

const STATES: ReadonlySet<string> = new Set(["Issued", "Denied", "Failed"]);

function stateOf(request: Json): string {
  const types = items(child(request, "status"), "conditions").map((condition) => text(condition, "type"));
  return types.findLast((type) => STATES.has(type)) ?? "Pending";
}

const specField = (name: string) => (request: Json) => text(child(request, "spec"), name);

const rules: KindSpec = {
  validate,
  validateUpdate(draft, before, errors) {
    if (!sameValue(draft["spec"], before["spec"])) errors.invalid("spec", omitted, "field is immutable");
  },
  validateStatus: (draft, before, errors, { nowMs }) =>
    validatePodRequestStatus(draft, before, errors, nowMs),
  statusKeepsMetadata: "all",
  setDefaults(draft) {
    const spec = specOf(draft);
    if (!present(spec, "maxExpirationSeconds")) spec["maxExpirationSeconds"] = 24 * HOUR_SECONDS;
  },
  selectableFields: (object) => {
    const spec = child(asJson(object), "spec");
    return {
      "spec.signerName": text(spec, "signerName"),
      "spec.podName": text(spec, "podName"),
      "spec.nodeName": text(spec, "nodeName"),
    };
  },
  columns: [
    nameColumn,
    column("PodName", specField("podName")),
    column("ServiceAccountName", specField("serviceAccountName")),
    column("NodeName", specField("nodeName")),
    column("SignerName", specField("signerName")),
    column("State", stateOf),
  ],
};

export const podCertificateRequestKinds: readonly KindRules[] = [
  {
    ...defineKind(resources.podCertificateRequests, rules),
    unconditionalUpdate: false,
    reset: { status: [["spec"]] },
  },
];
