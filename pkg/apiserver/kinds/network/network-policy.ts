import {
  child,
  integer,
  items,
  type Json,
  optionalText,
  present,
  setDefault,
  strings,
  text,
} from "../../../api/json.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { portName, portNumber } from "../formats.ts";
import type { Draft } from "../kind.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { ageColumn, column, formatSelector, nameColumn } from "../table.ts";
import { type CidrRange, readCidr, validateOldCidr } from "./address-checks.ts";
import { networkPolicyWarnings } from "../warnings/network.ts";

const directions = { ingress: "from", egress: "to" } as const;

function setDefaults(draft: Draft): void {
  const spec = specOf(draft);
  if (strings(spec, "policyTypes").length === 0)
    spec["policyTypes"] = items(spec, "egress").length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
  for (const direction of Object.keys(directions))
    for (const rule of items(spec, direction))
      for (const port of items(rule, "ports")) setDefault(port, "protocol", "TCP");
}

/** upstream: pkg/apis/networking/validation#ValidateNetworkPolicySpec */
function validate(draft: Draft, errors: FieldErrors, before?: Json): void {
  const spec = specOf(draft);
  const known = new Set(cidrsOf(child(before, "spec")));
  validateLabelSelector(child(spec, "podSelector"), "spec.podSelector", errors);
  for (const [direction, peers] of Object.entries(directions))
    for (const [index, rule] of items(spec, direction).entries()) {
      const path = `spec.${direction}[${index}]`;
      for (const [at, port] of items(rule, "ports").entries())
        validatePort(port, `${path}.ports[${at}]`, errors);
      for (const [at, peer] of items(rule, peers).entries())
        validatePeer(peer, known, `${path}.${peers}[${at}]`, errors);
    }
  const types = strings(spec, "policyTypes");
  if (types.length > 2) {
    errors.invalid("spec.policyTypes", types, "may not specify more than two policyTypes");
    return;
  }
  for (const [index, type] of types.entries())
    if (type !== "Ingress" && type !== "Egress")
      errors.notSupported(`spec.policyTypes[${index}]`, type, ["Ingress", "Egress"]);
}

function validatePort(port: Json, path: string, errors: FieldErrors): void {
  const protocol = optionalText(port, "protocol");
  const protocols = ["TCP", "UDP", "SCTP"];
  if (protocol !== undefined && !protocols.includes(protocol))
    errors.notSupported(`${path}.protocol`, protocol, protocols);
  const end = integer(port, "endPort");
  const value = port["port"];
  if (typeof value === "number") {
    errors.invalidEach(`${path}.port`, value, portNumber(value));
    if (end !== undefined && end < value)
      errors.invalid(`${path}.endPort`, value, "must be greater than or equal to `port`");
    if (end !== undefined) errors.invalidEach(`${path}.endPort`, end, portNumber(end));
    return;
  }
  const why = typeof value === "string" ? "non-numeric" : "not specified";
  if (end !== undefined)
    errors.invalid(`${path}.endPort`, end, `may not be specified when \`port\` is ${why}`);
  if (typeof value === "string") errors.invalidEach(`${path}.port`, value, portName(value));
}

function validatePeer(peer: Json, known: ReadonlySet<string>, path: string, errors: FieldErrors): void {
  for (const key of ["podSelector", "namespaceSelector"])
    if (present(peer, key)) validateLabelSelector(child(peer, key), `${path}.${key}`, errors);
  const block = child(peer, "ipBlock");
  if (block !== undefined) validateBlock(block, known, `${path}.ipBlock`, errors);
  const given = ["podSelector", "namespaceSelector", "ipBlock"].filter((key) => present(peer, key));
  if (given.length === 0) errors.required(path, "must specify a peer");
  else if (given.length > 1 && block !== undefined)
    errors.forbidden(path, "may not specify both ipBlock and another peer");
}

function validateBlock(block: Json, known: ReadonlySet<string>, path: string, errors: FieldErrors): void {
  const cidr = text(block, "cidr");
  if (cidr === "") {
    errors.required(`${path}.cidr`);
    return;
  }
  if (!known.has(cidr)) validateOldCidr(cidr, `${path}.cidr`, errors);
  const whole = readCidr(cidr);
  if (whole === undefined) return;
  for (const [index, except] of strings(block, "except").entries()) {
    const at = `${path}.except[${index}]`;
    if (!known.has(except)) validateOldCidr(except, at, errors);
    const part = readCidr(except);
    if (part !== undefined && !isStrictlyWithin(part, whole))
      errors.invalid(at, except, "must be a strict subset of `cidr`");
  }
}

function isStrictlyWithin(part: CidrRange, whole: CidrRange): boolean {
  return part.length > whole.length && part.bits.startsWith(whole.bits.slice(0, whole.length));
}

/** What is there already may stay. */
function cidrsOf(spec: Json | undefined): readonly string[] {
  return Object.entries(directions).flatMap(([direction, peers]) =>
    items(spec, direction)
      .flatMap((rule) => items(rule, peers))
      .map((peer) => child(peer, "ipBlock"))
      .flatMap((block) => [text(block, "cidr"), ...strings(block, "except")]),
  );
}

export const networkPolicyKinds = [
  defineKind(resources.networkPolicies, {
    warnings: networkPolicyWarnings,
    setDefaults,
    validate: (draft, errors) => validate(draft, errors),
    validateUpdate: (draft, before, errors) => validate(draft, errors, before),
    columns: [
      nameColumn,
      column("Pod-Selector", (object) => formatSelector(child(child(object, "spec"), "podSelector"))),
      ageColumn,
    ],
  }),
];
