import type { FieldErrors } from "../field-errors.ts";
import { dnsLabelProblems, dnsSubdomainProblems, maxSubdomainLength } from "../../../api/names.ts";
import { byteLength, regexMessage } from "../formats.ts";

const DRIVER_NAME = 63;
const IDENTIFIER = 32;
const identifier = "[A-Za-z_][A-Za-z0-9_]*";
const identifierPattern = new RegExp(`^${identifier}$`);

/** Drivers of devices and of CSI are named alike. */
export function validateDriverName(name: string, path: string, errors: FieldErrors): void {
  if (name === "") {
    errors.required(path);
    return;
  }
  if (byteLength(name) > DRIVER_NAME) errors.tooLong(path, DRIVER_NAME);
  errors.invalidEach(path, name, dnsSubdomainProblems(name.toLowerCase()));
}

/** Subdomains with slashes between them. */
export function validatePoolName(name: string, path: string, errors: FieldErrors): void {
  if (name === "") {
    errors.required(path);
    return;
  }
  if (byteLength(name) > maxSubdomainLength) errors.tooLong(path, maxSubdomainLength);
  for (const part of name.split("/")) errors.invalidEach(path, part, dnsSubdomainProblems(part));
}

/** A device, a request or a counter. */
export function validateLabelName(name: string, path: string, errors: FieldErrors): void {
  errors.invalidEach(path, name, dnsLabelProblems(name));
}

/** An attribute or a capacity, with or without a domain. More than one slash is let pass, as upstream does. */
export function validateQualifiedName(name: string, path: string, errors: FieldErrors): void {
  const parts = name.split("/");
  const [first = "", second = ""] = parts;
  if (parts.length === 1) validateIdentifier(first, path, errors);
  if (parts.length !== 2) return;
  if (first === "") errors.invalid(path, "", "the domain must not be empty");
  else validateDriverName(first, path, errors);
  if (second === "") errors.invalid(path, "", "the name must not be empty");
  else validateIdentifier(second, path, errors);
}

export function validateFullyQualifiedName(name: string, path: string, errors: FieldErrors): void {
  validateQualifiedName(name, path, errors);
  if (!name.includes("/"))
    errors.invalid(path, name, "a fully qualified name must be a domain and a name separated by a slash");
}

function validateIdentifier(name: string, path: string, errors: FieldErrors): void {
  if (byteLength(name) > IDENTIFIER) errors.tooLong(path, IDENTIFIER);
  if (identifierPattern.test(name)) return;
  const message =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";
  errors.invalid(path, name, regexMessage(message, identifier, "my_name", "MY_NAME", "MyName"));
}
