import { milliValueInt64 } from "../../../api/quantity-int64.ts";
import { dnsLabelProblems } from "../../../api/names.ts";
import { labelKeyProblems } from "../../../api/labels-validate.ts";
import type { Quantity } from "../../../api/quantity.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { items, text } from "../../../api/json.ts";
import { quantities } from "../quantities.ts";
import type { PodSpecView } from "./pod-spec-view.ts";

const containerResources = new Set(["cpu", "memory", "ephemeral-storage"]);

interface Wanted extends Pick<PodSpecView, "claimNames"> {
  /** Of what there may be an amount; what containers can ask for when left out. */
  readonly validateName?: typeof validateContainerResourceName;
}

/** Requests and limits of a container. */
export function validateRequirements(
  resources: Json | undefined,
  { claimNames, validateName = validateContainerResourceName }: Wanted,
  path: string,
  errors: FieldErrors,
): void {
  if (resources === undefined) return;
  const validateAmount = (name: string, quantity: Quantity, at: string): void => {
    validateName(name, at, errors);
    validateQuantity(name, quantity, at, errors);
  };
  const limits = quantities(resources, "limits");
  const requests = quantities(resources, "requests");
  for (const [name, quantity] of limits) validateAmount(name, quantity, `${path}.limits[${name}]`);
  for (const [name, request] of requests) {
    validateAmount(name, request, `${path}.requests[${name}]`);
    validateAgainstLimit(name, { request, limit: limits.get(name) }, path, errors);
  }
  const names = [...limits.keys(), ...requests.keys()];
  if (names.some(isHugePages) && !names.some((name) => name === "cpu" || name === "memory")) {
    errors.forbidden(path, "HugePages require cpu or memory");
  }
  validateClaims(resources, claimNames, `${path}.claims`, errors);
}

function validateQuantity(name: string, quantity: Quantity, path: string, errors: FieldErrors): void {
  validateResourceAmount(name, quantity, path, errors);
  if (isHugePages(name)) {
    const size = quantities({ size: { size: name.slice("hugepages-".length) } }, "size").get("size");
    if (size !== undefined && size.value() > 0 && quantity.value() % size.value() !== 0) {
      errors.invalid(
        path,
        quantity.toString(),
        `${quantity.toString()} is not positive integer multiple of ${name}`,
      );
    }
  }
}

/** What cannot be over-committed is requested exactly up to its limit. */
function validateAgainstLimit(
  name: string,
  { request, limit }: { readonly request: Quantity; readonly limit: Quantity | undefined },
  path: string,
  errors: FieldErrors,
): void {
  if (limit === undefined) {
    if (!isOvercommitAllowed(name)) {
      errors.required(`${path}.limits`, "Limit must be set for non overcommitable resources");
    }
    return;
  }
  const at = `${path}.requests`;
  if (!isOvercommitAllowed(name) && !request.equals(limit)) {
    errors.invalid(at, request.toString(), `must be equal to ${name} limit of ${limit.toString()}`);
  } else if (request.compare(limit) > 0) {
    errors.invalid(
      at,
      request.toString(),
      `must be less than or equal to ${name} limit of ${limit.toString()}`,
    );
  }
}

function validateClaims(
  resources: Json,
  podClaims: ReadonlySet<string>,
  path: string,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  for (const [index, claim] of items(resources, "claims").entries()) {
    const at = `${path}[${index}]`;
    const name = text(claim, "name");
    if (name === "") {
      errors.required(at);
      continue;
    }
    const request = text(claim, "request");
    if (request !== "") errors.invalidEach(`${at}.request`, request, dnsLabelProblems(request));
    const key = request === "" ? name : `${name}/${request}`;
    if (seen.has(name) || seen.has(key)) errors.duplicate(at, key);
    seen.add(key);
    if (podClaims.has(name)) continue;
    const known = podClaims.size === 0 ? " which is empty" : `: ${[...podClaims].toSorted().join(", ")}`;
    errors.notFound(at, name, `must be one of the names in pod.spec.resourceClaims${known}`);
  }
}

export function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}

/** Resources of Kubernetes itself, in contrast to those of devices. */
export function isNativeResource(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith("requests.")) return false;
  return labelKeyProblems(`requests.${name}`).length === 0;
}

export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

export function validateResourceName(name: string, path: string, errors: FieldErrors): void {
  const problems = labelKeyProblems(name);
  errors.invalidEach(path, name, problems);
  if (problems.length === 0 && !name.includes("/") && !isStandardResource(name))
    errors.invalid(path, name, "must be a standard resource type or fully qualified");
}

/** What a container can ask for. */
export function validateContainerResourceName(name: string, path: string, errors: FieldErrors): void {
  validateResourceName(name, path, errors);
  if (!name.includes("/")) {
    if (!containerResources.has(name) && !isHugePages(name)) {
      errors.invalid(path, name, "must be a standard resource for containers");
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.invalid(path, name, "doesn't follow extended resource name standard");
  }
}

const quotaResources = new Set([
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "requests.storage",
  "storage",
]);

/** Resources that Kubernetes knows by a name without a prefix. */
export function isStandardResource(name: string): boolean {
  return (
    containerResources.has(name) ||
    countedResources.has(name) ||
    quotaResources.has(name) ||
    isHugePages(name)
  );
}

/** Amounts are not negative, and things that are counted come in whole numbers. */
export function validateResourceAmount(
  name: string,
  quantity: Quantity,
  path: string,
  errors: FieldErrors,
): void {
  if (quantity.sign() < 0) {
    errors.invalid(path, quantity.toString(), "must be greater than or equal to 0");
  }
  if (isCounted(name) && milliValueInt64(quantity) % 1000n !== 0n) {
    errors.invalid(path, quantity.toString(), "must be an integer");
  }
}

const countedResources = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

function isCounted(name: string): boolean {
  return countedResources.has(name) || isExtendedResource(name);
}
