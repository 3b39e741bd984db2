import { child, integer, type Json, optionalText, present, strings, text } from "../../../api/json.ts";
import { dns1035LabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import type { FieldErrors } from "../../kinds/field-errors.ts";
import { portNumber } from "../../kinds/formats.ts";
import { at, index } from "./path.ts";

const reviewVersions = ["v1", "v1beta1"];

/** How objects get from one version to another. */
export function validateConversion(conversion: Json, errors: FieldErrors): void {
  const path = "spec.conversion";
  const strategy = text(conversion, "strategy");
  errors.oneOf(at(path, "strategy"), strategy, ["None", "Webhook"]);
  const webhook = child(conversion, "webhook");
  const config = child(webhook, "clientConfig");
  const versions = strings(webhook, "conversionReviewVersions");
  if (strategy !== "Webhook") {
    const rule = "should not be set when strategy is not set to Webhook";
    if (config !== undefined) errors.forbidden(at(path, "webhookClientConfig"), rule);
    if (versions.length > 0) errors.forbidden(at(path, "conversionReviewVersions"), rule);
    return;
  }
  if (config === undefined)
    errors.required(at(path, "webhookClientConfig"), "required when strategy is set to Webhook");
  else validateClient(config, at(path, "webhookClientConfig"), errors);
  validateReviewVersions(versions, at(path, "conversionReviewVersions"), errors);
}

function validateClient(config: Json, path: string, errors: FieldErrors): void {
  const url = optionalText(config, "url");
  const service = child(config, "service");
  if ((url === undefined) === (service === undefined))
    errors.required(path, "exactly one of url or service is required");
  else if (url !== undefined) validateUrl(url, at(path, "url"), errors);
  else if (service !== undefined) validateService(service, at(path, "service"), errors);
}

const form = "; desired format: https://host[/path]";

function validateUrl(text: string, path: string, errors: FieldErrors): void {
  const [, scheme = "", host = "", rest = ""] =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?(.*)$/s.exec(text) ?? [];
  if (scheme !== "https") errors.invalid(path, scheme, `'https' is the only allowed URL scheme${form}`);
  const [, user, address = ""] = /^(?:(.*)@)?(.*)$/s.exec(host) ?? [];
  if (address === "") errors.invalid(path, "", `host must be specified${form}`);
  if (user !== undefined) errors.invalid(path, user, "user information is not permitted in the URL");
  const [beforeFragment = "", fragment = ""] = rest.split("#");
  if (fragment !== "") errors.invalid(path, fragment, "fragments are not permitted in the URL");
  const query = beforeFragment.split("?").slice(1).join("?");
  if (query !== "") errors.invalid(path, query, "query parameters are not permitted in the URL");
}

function validateService(service: Json, path: string, errors: FieldErrors): void {
  // upstream: validation.go#validateCustomResourceConversion hands over the name as namespace and the other way around.
  if (text(service, "namespace") === "") errors.required(at(path, "name"));
  if (text(service, "name") === "") errors.required(at(path, "namespace"));
  const port = integer(service, "port") ?? 0;
  const problems = portNumber(port);
  if (problems.length > 0)
    errors.invalid(at(path, "port"), port, `port is not valid: ${problems.join(", ")}`);
  const urlPath = optionalText(service, "path");
  if (urlPath === undefined || urlPath === "" || urlPath === "/") return;
  validateUrlPath(urlPath, at(path, "path"), errors);
}

function validateUrlPath(urlPath: string, path: string, errors: FieldErrors): void {
  if (urlPath === "//") return errors.invalid(path, urlPath, "segment[0] may not be empty");
  if (!urlPath.startsWith("/")) errors.invalid(path, urlPath, "must start with a '/'");
  for (const [position, segment] of urlPath.slice(1).replace(/\/$/, "").split("/").entries()) {
    if (segment === "") errors.invalid(path, urlPath, `segment[${position}] may not be empty`);
    else
      for (const problem of dnsSubdomainProblems(segment))
        errors.invalid(path, urlPath, `segment[${position}]: ${problem}`);
  }
}

function validateReviewVersions(versions: readonly string[], path: string, errors: FieldErrors): void {
  if (versions.length === 0) return errors.required(path);
  const seen = new Set<string>();
  for (const [position, version] of versions.entries()) {
    if (seen.has(version)) errors.invalid(index(path, position), version, "duplicate version");
    else errors.invalidEach(index(path, position), version, dns1035LabelProblems(version));
    seen.add(version);
  }
  if (!versions.some((version) => reviewVersions.includes(version)))
    errors.invalid(path, versions, `must include at least one of ${reviewVersions.join(", ")}`);
}

/** The port of a webhook's service. */
export function defaultServicePort(conversion: Json | undefined): void {
  const service = child(child(child(conversion, "webhook"), "clientConfig"), "service");
  if (service !== undefined && !present(service, "port")) service["port"] = 443;
}
