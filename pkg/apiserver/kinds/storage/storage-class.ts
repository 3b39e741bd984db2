import { dnsSubdomainProblems } from "../../../api/names.ts";
import { labelKeyProblems } from "../../../api/labels-validate.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { byteLength } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import {
  child,
  flag,
  items,
  optionalText,
  present,
  sameValue,
  setDefault,
  stringMap,
  strings,
  text,
} from "../../../api/json.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import { validateVolumeSpec } from "./volume.ts";
import { storageClassWarnings } from "../warnings/storage.ts";

const classRules: KindSpec = {
  warnings: storageClassWarnings,
  setDefaults(draft) {
    setDefault(draft, "reclaimPolicy", "Delete");
    setDefault(draft, "volumeBindingMode", "Immediate");
  },
  validate(draft, errors) {
    validateProvisioner(draft, "provisioner", errors);
    validateParameters(draft, errors);
    validateTopologies(draft, errors);
    const policy = text(draft, "reclaimPolicy");
    if (policy !== "" && policy !== "Delete" && policy !== "Retain") {
      errors.notSupported("reclaimPolicy", policy, ["Delete", "Retain"]);
    }
    const mode = text(draft, "volumeBindingMode");
    if (mode !== "Immediate" && mode !== "WaitForFirstConsumer") {
      errors.notSupported("volumeBindingMode", mode, ["Immediate", "WaitForFirstConsumer"]);
    }
  },
  // The rest cannot have become wrong.
  validateUpdate(draft, before, errors) {
    for (const key of ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"]) {
      errors.immutable(key, draft[key], before[key]);
    }
  },
  columns: [
    column(
      "Name",
      (object) => {
        const annotations = stringMap(child(object, "metadata"), "annotations");
        const keys = [
          "storageclass.kubernetes.io/is-default-class",
          "storageclass.beta.kubernetes.io/is-default-class",
        ];
        const isDefault = keys.some((key) => annotations[key] === "true");
        return `${text(child(object, "metadata"), "name")}${isDefault ? " (default)" : ""}`;
      },
      { format: "name" },
    ),
    column("Provisioner", (object) => text(object, "provisioner")),
    column("ReclaimPolicy", (object) => optionalText(object, "reclaimPolicy") ?? "Delete"),
    column("VolumeBindingMode", (object) => optionalText(object, "volumeBindingMode") ?? "<unset>"),
    column("AllowVolumeExpansion", (object) => flag(object, "allowVolumeExpansion")),
    ageColumn,
  ],
};

function validateProvisioner(draft: Json, field: string, errors: FieldErrors): void {
  const name = text(draft, field).toLowerCase();
  if (name === "") errors.required(field);
  else errors.invalidEach(field, name, labelKeyProblems(name));
}

const PARAMETERS = 512;
const PARAMETERS_SIZE = 256 * 1024;

function validateParameters(draft: Json, errors: FieldErrors): void {
  const parameters = Object.entries(stringMap(draft, "parameters"));
  if (parameters.length > PARAMETERS) {
    errors.tooLong("parameters", PARAMETERS);
    return;
  }
  let size = 0;
  for (const [key, value] of parameters) {
    if (key === "") errors.invalid("parameters", key, "field can not be empty.");
    size += byteLength(key) + byteLength(value);
  }
  if (size > PARAMETERS_SIZE) errors.tooLong("parameters", PARAMETERS_SIZE);
}

function validateTopologies(draft: Json, errors: FieldErrors): void {
  const terms: ReadonlyMap<string, ReadonlySet<string>>[] = [];
  for (const [index, term] of items(draft, "allowedTopologies").entries()) {
    const path = `allowedTopologies[${index}].matchLabelExpressions`;
    const values = validateTopology(term, path, errors);
    // upstream: as many terms without anything as there are terms are taken to be there already.
    if (values.size === 0 || terms.some((other) => sameTopology(values, other))) errors.duplicate(path, "");
    terms.push(values);
  }
}

function validateTopology(term: Json, path: string, errors: FieldErrors): ReadonlyMap<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [index, requirement] of items(term, "matchLabelExpressions").entries()) {
    const at = `${path}[${index}]`;
    const [key, values] = [text(requirement, "key"), strings(requirement, "values")];
    if (values.length === 0) errors.required(`${at}.values`);
    for (const [place, value] of values.entries())
      if (values.indexOf(value) < place) errors.duplicate(`${at}.values[${place}]`, value);
    errors.invalidEach(`${at}.key`, key, labelKeyProblems(key));
    if (found.has(key)) errors.duplicate(`${at}.key`, key);
    found.set(key, new Set(values));
  }
  return found;
}

function sameTopology(
  one: ReadonlyMap<string, ReadonlySet<string>>,
  other: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(
    ([key, values]) => other.has(key) && values.symmetricDifference(other.get(key) ?? new Set()).size === 0,
  );
}

const attachmentRules: KindSpec = {
  declaredRules: true,
  statusKeepsMetadata: "all",
  validate(draft, errors) {
    const spec = specOf(draft);
    const node = text(spec, "nodeName");
    errors.invalidEach("spec.nodeName", node, dnsSubdomainProblems(node));
    const source = child(spec, "source");
    const given = ["inlineVolumeSpec", "persistentVolumeName"].filter((key) => present(source, key));
    const message = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    if (given.length === 0) errors.required("spec.source", message);
    if (given.length === 2) errors.forbidden("spec.source", message);
    if (present(source, "persistentVolumeName") && text(source, "persistentVolumeName") === "") {
      errors.required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName");
    }
    const inline = child(source, "inlineVolumeSpec");
    if (inline !== undefined && given.length === 1)
      validateVolumeSpec(inline, { path: "spec.source.inlineVolumeSpec", name: "", inline: true }, errors);
    const volume = optionalText(source, "persistentVolumeName");
    if (volume !== undefined)
      errors.invalidEach("spec.source.persistentVolumeName", volume, dnsSubdomainProblems(volume));
  },
  columns: [
    nameColumn,
    column("Attacher", (object) => text(child(object, "spec"), "attacher"), { format: "name" }),
    column("PV", (object) => text(child(child(object, "spec"), "source"), "persistentVolumeName")),
    column("Node", (object) => text(child(object, "spec"), "nodeName")),
    column("Attached", (object) => flag(child(object, "status"), "attached"), { type: "boolean" }),
    ageColumn,
  ],
};

export const storageClassKinds = [
  defineKind(resources.storageClasses, classRules),
  defineKind(resources.volumeAttachments, attachmentRules),
  defineKind(resources.volumeAttributesClasses, {
    validateChange(draft, before, errors) {
      for (const key of ["driverName", "parameters"])
        if (!sameValue(draft[key], before[key])) errors.forbidden(key, `updates to ${key} are forbidden.`);
    },
    validate(draft, errors) {
      validateProvisioner(draft, "driverName", errors);
      validateParameters(draft, errors);
      if (Object.keys(stringMap(draft, "parameters")).length === 0)
        errors.required("parameters", "must contain at least one key/value pair");
    },
    columns: [nameColumn, column("DriverName", (object) => text(object, "driverName")), ageColumn],
  }),
];
