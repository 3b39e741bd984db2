import { dnsSubdomainProblems } from "../../../api/names.ts";
import { labelKeyProblems } from "../../../api/labels-validate.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { Json } from "../../../api/json.ts";
import {
  child,
  flag,
  items,
  optionalText,
  present,
  setDefault,
  stringMap,
  strings,
  text,
} from "../../../api/json.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

const classRules: KindSpec = {
  setDefaults(draft) {
    setDefault(draft, "reclaimPolicy", "Delete");
    setDefault(draft, "volumeBindingMode", "Immediate");
  },
  validate(draft, errors) {
    const provisioner = text(draft, "provisioner");
    if (provisioner === "") errors.required("provisioner");
    else errors.invalidEach("provisioner", provisioner, labelKeyProblems(provisioner.toLowerCase()));
    const policy = text(draft, "reclaimPolicy");
    if (policy !== "Delete" && policy !== "Retain") {
      errors.notSupported("reclaimPolicy", policy, ["Delete", "Retain"]);
    }
    const mode = text(draft, "volumeBindingMode");
    if (mode !== "Immediate" && mode !== "WaitForFirstConsumer") {
      errors.notSupported("volumeBindingMode", mode, ["Immediate", "WaitForFirstConsumer"]);
    }
  },
  validateChange(draft, before, errors) {
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

const attachmentRules: KindSpec = {
  declaredRules: true,
  unconditionalUpdate: false,
  generation: false,
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

function driverCell(driver: Json, key: string): boolean {
  return flag(child(driver, "spec"), key);
}

const driverRules: KindSpec = {
  unconditionalUpdate: false,
  setDefaults(draft) {
    const spec = specOf(draft);
    setDefault(spec, "attachRequired", true);
    for (const key of ["podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"]) {
      setDefault(spec, key, false);
    }
    setDefault(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
    if (strings(spec, "volumeLifecycleModes").length === 0) spec["volumeLifecycleModes"] = ["Persistent"];
  },
  validateChange(draft, before, errors) {
    for (const key of ["attachRequired", "volumeLifecycleModes"]) {
      errors.immutable(`spec.${key}`, specOf(draft)[key], child(before, "spec")?.[key]);
    }
  },
  columns: [
    nameColumn,
    column("AttachRequired", (driver) => driverCell(driver, "attachRequired"), { type: "boolean" }),
    column("PodInfoOnMount", (driver) => driverCell(driver, "podInfoOnMount"), { type: "boolean" }),
    column("StorageCapacity", (driver) => driverCell(driver, "storageCapacity"), { type: "boolean" }),
    column("TokenRequests", (driver) => {
      const requests = child(driver, "spec")?.["tokenRequests"];
      if (requests === undefined) return "<unset>";
      return items(child(driver, "spec"), "tokenRequests")
        .map((one) => text(one, "audience"))
        .join(",");
    }),
    column("RequiresRepublish", (driver) => driverCell(driver, "requiresRepublish"), { type: "boolean" }),
    column("Modes", (driver) => strings(child(driver, "spec"), "volumeLifecycleModes").join(",") || "<none>"),
    ageColumn,
  ],
};

const csiNodeRules: KindSpec = {
  unconditionalUpdate: false,
  validate(draft, errors) {
    const names = new Set<string>();
    for (const [index, driver] of items(specOf(draft), "drivers").entries()) {
      const path = `spec.drivers[${index}]`;
      const name = text(driver, "name");
      if (name === "") errors.required(`${path}.name`);
      if (text(driver, "nodeID") === "") errors.required(`${path}.nodeID`);
      if (names.has(name)) errors.duplicate(`${path}.name`, name);
      names.add(name);
    }
  },
  columns: [
    nameColumn,
    column("Drivers", (object) => items(child(object, "spec"), "drivers").length, { type: "integer" }),
    ageColumn,
  ],
};

export const storageClassKinds = [
  defineKind(resources.storageClasses, classRules),
  defineKind(resources.volumeAttachments, attachmentRules),
  defineKind(resources.csiDrivers, driverRules),
  defineKind(resources.csiNodes, csiNodeRules),
  defineKind(resources.csiStorageCapacities, { unconditionalUpdate: false }),
  defineKind(resources.volumeAttributesClasses, {
    validate(draft, errors) {
      if (Object.keys(stringMap(draft, "parameters")).length === 0)
        errors.required("parameters", "must contain at least one key/value pair");
    },
    columns: [nameColumn, column("DriverName", (object) => text(object, "driverName")), ageColumn],
  }),
];
