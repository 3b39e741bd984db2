import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import type { FieldErrors } from "../field-errors.ts";

const LONGEST_DOMAIN = 253;
/** A domain, a slash, and the name of something in a namespace. */
const LONGEST = LONGEST_DOMAIN + 1 + 63 + 1 + 253;

/** upstream: pkg/apis/core/validation/names.go#ValidateSignerName */
export function validateSignerName(path: string, signerName: string, errors: FieldErrors): void {
  if (signerName === "") return errors.required(path);
  const [domain = "", name, ...more] = signerName.split("/");
  if (name === undefined || more.length > 0) {
    return errors.invalid(
      path,
      signerName,
      "must be a fully qualified domain and path of the form 'example.com/signer-name'",
    );
  }
  if (domain.length > LONGEST_DOMAIN) errors.tooLong(path, LONGEST_DOMAIN);
  const labels = domain.split(".");
  validateLabels(path, domain, labels, { problemsOf: dnsLabelProblems, errors });
  if (labels.length < 2)
    errors.invalid(path, domain, "should be a domain with at least two segments separated by dots");
  validateLabels(path, name, name.split("."), { problemsOf: dnsSubdomainProblems, errors });
  if (signerName.length > LONGEST) errors.tooLong(path, LONGEST);
}

interface LabelCheck {
  readonly problemsOf: (label: string) => readonly string[];
  readonly errors: FieldErrors;
}

/** Of the labels that are wrong, the first one is told of. */
function validateLabels(
  path: string,
  whole: string,
  labels: readonly string[],
  { problemsOf, errors }: LabelCheck,
): void {
  const wrong = labels.find((label) => problemsOf(label).length > 0);
  if (wrong === undefined) return;
  const details = problemsOf(wrong).map((problem) => `validating label ${JSON.stringify(wrong)}: ${problem}`);
  errors.invalidEach(path, whole, details);
}

export function isKubernetesSigner(signerName: string): boolean {
  const [domain = ""] = signerName.split("/");
  return domain === "kubernetes.io" || domain.endsWith(".kubernetes.io");
}
