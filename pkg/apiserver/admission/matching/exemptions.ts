import { resources } from "../../../api/resources.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import { isResource } from "../plugin.ts";

const OWN_GROUP = "admissionregistration.k8s.io";

/** What says who admits is admitted by nobody, or nobody could mend it any more. */
export function isExempt({ resource }: Pick<AdmissionAttributes, "resource">): boolean {
  return resource.group === OWN_GROUP;
}

/** Policies leave alone, too, what the cluster finds out by who may do what. upstream: admission/exclusion/resources.go */
export function isExemptFromPolicies(attributes: Pick<AdmissionAttributes, "resource">): boolean {
  const { group, plural } = attributes.resource;
  return isExempt(attributes) || reviews.has(`${plural}.${group}`);
}

const reviews: ReadonlySet<string> = new Set([
  "localsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectreviews.authentication.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
  "tokenreviews.authentication.k8s.io",
]);

/** A namespace lies in itself. */
export function inOwnNamespace(attributes: AdmissionAttributes): AdmissionAttributes {
  return isResource(attributes, resources.namespaces)
    ? { ...attributes, namespace: attributes.name }
    : attributes;
}
