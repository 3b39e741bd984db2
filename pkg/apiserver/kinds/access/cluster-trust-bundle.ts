import { asJson, child, type Json, text } from "../../../api/json.ts";
import { dnsSubdomainProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { CertificateError } from "../../../pki/der-reader.ts";
import { parseCertificate } from "../../../pki/parsed-certificate.ts";
import { allPemBlocks, type PemBlock } from "../../../pki/pem.ts";
import { defineKind, type KindSpec, specOf } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Draft, KindRules } from "../kind.ts";
import { column, nameColumn } from "../table.ts";
import { validateSignerName } from "./signer-name.ts";

const LONGEST_BUNDLE = 1_048_576;
const BUNDLE = "spec.trustBundle";

/** upstream: pkg/apis/certificates/validation/validation.go#ValidateClusterTrustBundle */
function validateNames(draft: Draft, errors: FieldErrors): void {
  const signerName = text(specOf(draft), "signerName");
  errors.invalidEach("metadata.name", text(draft.metadata, "name"), nameProblems(draft, signerName));
  if (signerName !== "") validateSignerName("spec.signerName", signerName, errors);
}

function nameProblems({ metadata }: Draft, signerName: string): readonly string[] {
  const name = text(metadata, "name");
  if (name === "") return [];
  if (signerName === "") {
    return name.includes(":")
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : dnsSubdomainProblems(name);
  }
  const prefix = `${signerName.replaceAll("/", ":")}:`;
  return name.startsWith(prefix)
    ? dnsSubdomainProblems(name.slice(prefix.length))
    : [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
}

/** upstream: validateTrustBundle */
function validateBundle(draft: Draft, errors: FieldErrors): void {
  const bundle = text(specOf(draft), "trustBundle");
  if (Buffer.byteLength(bundle) > LONGEST_BUNDLE) return errors.tooLong(BUNDLE, LONGEST_BUNDLE);
  const blocks = allPemBlocks(Buffer.from(bundle).toString("latin1"));
  const problems = blocks.flatMap((block, index) => blockProblem(block, index) ?? []);
  const refuse = (detail: string): void => errors.invalid(BUNDLE, "<value omitted>", detail);
  for (const problem of problems) refuse(problem);
  if (problems.length > 0) return;
  if (blocks.length === 0) refuse("at least one trust anchor must be provided");
  const places = Map.groupBy([...blocks.keys()], (index) => blocks[index]?.bytes.toString("base64"));
  for (const same of places.values())
    if (same.length > 1) refuse(`duplicate trust anchor (indices [${same.join(" ")}])`);
}

function blockProblem({ type, hasHeaders, bytes }: PemBlock, index: number): string | undefined {
  if (type !== "CERTIFICATE") return `entry ${index} has bad block type: ${type}`;
  if (hasHeaders) return `entry ${index} has PEM block headers`;
  try {
    return parseCertificate(bytes).isAuthority ? undefined : `entry ${index} does not have the CA bit set`;
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    return `entry ${index} does not parse as X.509`;
  }
}

const signerNameOf = (bundle: Json): string => text(child(bundle, "spec"), "signerName");

const rules: KindSpec = {
  // The name may have colons, as it begins with that of the signer.
  nameFormat: "pathSegment",
  validate(draft, errors) {
    validateNames(draft, errors);
    validateBundle(draft, errors);
  },
  validateUpdate(draft, before, errors) {
    validateNames(draft, errors);
    if (text(specOf(draft), "trustBundle") !== text(child(before, "spec"), "trustBundle"))
      validateBundle(draft, errors);
    errors.immutable("spec.signerName", signerNameOf(draft), signerNameOf(before));
  },
  selectableFields: (object) => ({ "spec.signerName": signerNameOf(asJson(object)) }),
  columns: [nameColumn, column("SignerName", (bundle) => signerNameOf(bundle) || "<none>")],
};

export const clusterTrustBundleKinds: readonly KindRules[] = [
  resources.clusterTrustBundles,
  resources.clusterTrustBundlesV1alpha1,
].map((resource) => ({ ...defineKind(resource, rules), unconditionalUpdate: false }));
