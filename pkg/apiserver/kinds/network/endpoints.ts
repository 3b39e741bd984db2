import { parseIp } from "../../../endpoints/ip-address.ts";
import { labelKeyProblems, labelValueProblems } from "../../../api/labels-validate.ts";
import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { contentChanged, defineKind, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { portNumber } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import {
  asJson,
  child,
  count,
  integer,
  items,
  optionalText,
  sameValue,
  setDefault,
  stringMap,
  strings,
  text,
} from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import { ipWarnings, validateIp, validateOldIp } from "./address-checks.ts";

const protocols = ["SCTP", "TCP", "UDP"];
const ranges: readonly (readonly [RegExp, string])[] = [
  [/^127\.|^::1$/, "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  [/^169\.254\.|^fe[89ab]/i, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  [/^224\.0\.0\.|^ff02:/i, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
];

/** An address that other hosts can reach. */
export function validateReachable(address: string, path: string, errors: FieldErrors): void {
  const read = parseIp(address)?.text;
  if (read === undefined) {
    errors.invalid(path, address, "must be a valid IP address");
    return;
  }
  if (read === "0.0.0.0" || read === "::")
    errors.invalid(path, address, `may not be unspecified (${address})`);
  for (const [range, message] of ranges) if (range.test(read)) errors.invalid(path, address, message);
}

function validateSubsets(draft: Draft, errors: FieldErrors): void {
  for (const [index, subset] of items(draft, "subsets").entries()) {
    const path = `subsets[${index}]`;
    const lists = ["addresses", "notReadyAddresses"];
    if (lists.every((key) => items(subset, key).length === 0)) {
      errors.required(path, "must specify `addresses` or `notReadyAddresses`");
    }
    for (const key of lists) {
      for (const [at, address] of items(subset, key).entries()) {
        const place = `${path}.${key}[${at}]`;
        const [ip, hostname] = [text(address, "ip"), text(address, "hostname")];
        validateOldIp(ip, `${place}.ip`, errors);
        if (hostname !== "") errors.invalidEach(`${place}.hostname`, hostname, dnsLabelProblems(hostname));
        const node = optionalText(address, "nodeName");
        if (node !== undefined) errors.invalidEach(`${place}.nodeName`, node, dnsSubdomainProblems(node));
        validateReachable(ip, `${place}.ip`, errors);
      }
    }
    const ports = items(subset, "ports");
    for (const [at, port] of ports.entries()) {
      validateSubsetPort(port, ports.length > 1, `${path}.ports[${at}]`, errors);
    }
  }
}

function validateSubsetPort(port: Json, needsName: boolean, path: string, errors: FieldErrors): void {
  const name = text(port, "name");
  if (name !== "") errors.invalidEach(`${path}.name`, name, dnsLabelProblems(name));
  else if (needsName) errors.required(`${path}.name`);
  errors.invalidEach(`${path}.port`, count(port, "port"), portNumber(count(port, "port")));
  errors.oneOf(`${path}.protocol`, text(port, "protocol"), protocols);
  const application = optionalText(port, "appProtocol");
  if (application !== undefined)
    errors.invalidEach(`${path}.appProtocol`, application, labelKeyProblems(application));
}

function endpointsCell(endpoints: Json): string {
  const shown: string[] = [];
  let total = 0;
  for (const subset of items(endpoints, "subsets")) {
    const addresses = items(subset, "addresses");
    const ports = items(subset, "ports");
    total += addresses.length * Math.max(1, ports.length);
    for (const port of ports.length === 0 ? [undefined] : ports.slice(0, SHOWN)) {
      for (const address of addresses.slice(0, SHOWN)) {
        if (shown.length < SHOWN) shown.push(endpointText(text(address, "ip"), port));
      }
    }
  }
  return summarize(shown, total);
}

/** Each port of each address is an endpoint: of millions, only these are made. */
const SHOWN = 3;

function endpointText(ip: string, port: Json | undefined): string {
  if (port === undefined) return ip;
  return ip.includes(":") ? `[${ip}]:${count(port, "port")}` : `${ip}:${count(port, "port")}`;
}

function summarize(all: readonly string[], total = all.length): string {
  if (total === 0) return "<none>";
  const shown = all.slice(0, SHOWN).join(",");
  return total > SHOWN ? `${shown} + ${total - SHOWN} more...` : shown;
}

const endpointsRules: KindSpec = {
  setDefaults(draft) {
    for (const subset of items(draft, "subsets")) {
      for (const port of items(subset, "ports")) setDefault(port, "protocol", "TCP");
    }
  },
  validate: validateSubsets,
  validateUpdate(draft, before, errors) {
    if (!sameValue(draft["subsets"], before["subsets"])) validateSubsets(draft, errors);
  },
  columns: [nameColumn, column("Endpoints", endpointsCell), ageColumn],
  warnings(draft) {
    const lists = ["addresses", "notReadyAddresses"];
    return items(draft, "subsets").flatMap((subset, index) =>
      lists.flatMap((key) =>
        items(subset, key).flatMap((address, at) =>
          ipWarnings(`subsets[${index}].${key}[${at}].ip`, text(address, "ip")),
        ),
      ),
    );
  },
};

function validateSlice(draft: Draft, errors: FieldErrors): void {
  validateSlicePorts(draft, errors);
  const type = text(draft, "addressType");
  errors.oneOf("addressType", type, ["FQDN", "IPv4", "IPv6"]);
  const endpoints = items(draft, "endpoints");
  if (endpoints.length > 1000) errors.tooMany("endpoints", endpoints.length, 1000);
  for (const [index, endpoint] of endpoints.entries()) {
    validateEndpoint(endpoint, type, `endpoints[${index}]`, errors);
  }
}

function validateDomain(address: string, path: string, errors: FieldErrors): void {
  if (address === "") {
    errors.required(path);
    return;
  }
  const domain = address.replace(/\.$/, "");
  const problems = dnsSubdomainProblems(domain);
  if (problems.length > 0) errors.invalid(path, domain, problems.join(","));
  else if (!domain.includes("."))
    errors.invalid(path, domain, "should be a domain with at least two segments separated by dots");
  else
    for (const label of domain.split(".")) {
      const wrong = dnsLabelProblems(label);
      if (wrong.length > 0) {
        errors.invalid(path, label, wrong.join(","));
        return;
      }
    }
}

function validateEndpoint(endpoint: Json, type: string, path: string, errors: FieldErrors): void {
  const addresses = strings(endpoint, "addresses");
  if (addresses.length === 0) errors.required(`${path}.addresses`, "must contain at least 1 address");
  if (addresses.length > 100) errors.tooMany(`${path}.addresses`, addresses.length, 100);
  for (const [index, address] of addresses.entries()) {
    const at = `${path}.addresses[${index}]`;
    if (type === "FQDN") validateDomain(address, at, errors);
    else if (type === "IPv4" || type === "IPv6") {
      const check = type === "IPv4" ? validateOldIp : validateIp;
      if (!check(address, at, errors)) continue;
      if (parseIp(address)?.family !== type)
        errors.invalid(`${path}.addresses`, address, `must be an ${type} address`);
      validateReachable(address, at, errors);
    }
  }
  const node = optionalText(endpoint, "nodeName");
  if (node !== undefined) errors.invalidEach(`${path}.nodeName`, node, dnsSubdomainProblems(node));
  const hostname = optionalText(endpoint, "hostname");
  if (hostname !== undefined) errors.invalidEach(`${path}.hostname`, hostname, dnsLabelProblems(hostname));
  const hints = child(endpoint, "hints");
  for (const key of ["forZones", "forNodes"]) {
    const given = items(hints, key);
    if (given.length > 8) return errors.tooMany(`${path}.hints.${key}`, given.length, 8);
    const names = new Set<string>();
    for (const [index, hint] of given.entries()) {
      const name = text(hint, "name");
      if (names.has(name)) errors.duplicate(`${path}.hints.${key}[${index}].name`, name);
      names.add(name);
      const problems = key === "forZones" ? labelValueProblems(name) : dnsSubdomainProblems(name);
      errors.invalidEach(`${path}.hints.${key}[${index}].name`, name, problems);
    }
  }
}

function validateSlicePorts(draft: Draft, errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [index, port] of items(draft, "ports").entries()) {
    const path = `ports[${index}]`;
    const name = text(port, "name");
    if (name !== "") errors.invalidEach(`${path}.name`, name, dnsLabelProblems(name));
    if (names.has(name)) errors.duplicate(`${path}.name`, name);
    names.add(name);
    errors.oneOf(`${path}.protocol`, text(port, "protocol"), protocols);
    const application = optionalText(port, "appProtocol");
    if (application !== undefined) {
      errors.invalidEach(`${path}.appProtocol`, application, labelKeyProblems(application));
    }
  }
}

const sliceRules: KindSpec = {
  generationChanged: (draft, before) =>
    contentChanged(draft, before) ||
    !sameValue(stringMap(draft.metadata, "labels"), stringMap(child(asJson(before), "metadata"), "labels")),
  setDefaults(draft) {
    for (const port of items(draft, "ports")) {
      setDefault(port, "name", "");
      setDefault(port, "protocol", "TCP");
    }
  },
  validate: validateSlice,
  warnings: (draft, before) => [
    ...(before === undefined && text(draft, "addressType") === "FQDN"
      ? ["spec.addressType: FQDN endpoints are deprecated"]
      : []),
    ...items(draft, "endpoints").flatMap((endpoint, index) =>
      strings(endpoint, "addresses").flatMap((address, at) =>
        ipWarnings(`endpoints[${index}].addresses[${at}]`, address),
      ),
    ),
  ],
  validateChange: (draft, before, errors) =>
    errors.immutable("addressType", text(draft, "addressType"), text(before, "addressType")),
  columns: [
    nameColumn,
    column("AddressType", (slice) => text(slice, "addressType")),
    column("Ports", (slice) => {
      const ports = items(slice, "ports").map((port) =>
        String(integer(port, "port") ?? optionalText(port, "name") ?? "*"),
      );
      return ports.length === 0 ? "<unset>" : summarize(ports) || "<unset>";
    }),
    column("Endpoints", (slice) => {
      const all = items(slice, "endpoints").flatMap((endpoint) => strings(endpoint, "addresses"));
      return all.length === 0 ? "<unset>" : summarize(all);
    }),
    ageColumn,
  ],
};

export const endpointsKinds = [
  defineKind(resources.endpoints, endpointsRules),
  defineKind(resources.endpointSlices, sliceRules),
];
