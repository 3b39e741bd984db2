import type { ServedResource } from "./served-resource.ts";
import { StatusError } from "./status-error.ts";

/** Kinds of some groups live in the package of another one. */
const packages: Readonly<Record<string, string>> = { "": "core", "events.k8s.io": "core" };

/** The type that the API server has for objects of this resource, as its messages name it. */
function goType({ resource, custom }: ServedResource, of: "one" | "many"): string {
  const list = of === "many" ? "List" : "";
  if (custom) return `*unstructured.Unstructured${list}`;
  const { group, kind } = resource;
  return `*${packages[group] ?? group.split(".")[0] ?? ""}.${kind}${list}`;
}

/** Metadata of one object was asked for where there are many, or the other way round. */
export function notOfThisForm(served: ServedResource, is: "one" | "many"): StatusError {
  const [asked, what] =
    is === "one" ? ["PartialObjectMetadataList", "is not a list"] : ["PartialObjectMetadata", "is a list"];
  const message = `you requested ${asked}, but the requested object ${what} (${goType(served, is)})`;
  return new StatusError(406, "NotAcceptable", message);
}
