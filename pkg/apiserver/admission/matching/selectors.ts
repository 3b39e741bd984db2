import { child, stringMap } from "../../../api/json.ts";
import { type LabelSelectorSpec, selectorFromSpec } from "../../../api/label-selector.ts";
import type { Labels } from "../../../api/labels.ts";
import { resources } from "../../../api/resources.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import { notFound, type StatusError } from "../../server/status-error.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import type { AdmittedObjects } from "./admitted-objects.ts";

/** A StatusError where the namespace is not there. */
export function matchNamespace(
  spec: LabelSelectorSpec | undefined,
  attributes: AdmissionAttributes,
  objects: AdmittedObjects,
  reader: ClusterReader,
): boolean | StatusError {
  const { namespace, resource } = attributes;
  const isNamespace = resource.plural === "namespaces";
  if (namespace === "" && !isNamespace) return true;
  const selector = selectorFromSpec(spec ?? {});
  if (selector.empty) return true;
  const isWritten = attributes.operation === "CREATE" || attributes.operation === "UPDATE";
  if (isNamespace && attributes.subresource === "" && isWritten)
    return selector.matches(labelsOf(objects.object));
  const found = reader.get(resources.namespaces, "", namespace);
  return found === undefined
    ? notFound(resources.namespaces, namespace)
    : selector.matches(found.metadata.labels);
}

export function matchObjects(
  spec: LabelSelectorSpec | undefined,
  { object, before }: AdmittedObjects,
): boolean {
  const selector = selectorFromSpec(spec ?? {});
  if (selector.empty) return true;
  return [object, before].some((one) => hasMetadata(one) && selector.matches(labelsOf(one)));
}

/** The options of a connection have none. */
function hasMetadata(object: object | undefined): boolean {
  return object !== undefined && "metadata" in object;
}

function labelsOf(object: object | undefined): Labels {
  return stringMap(child(object as Record<string, unknown>, "metadata"), "labels");
}
