import { signerNames } from "../../api/certificate-requests.ts";
import { asJson, child, items, type Json, sameValue, text } from "../../api/json.ts";
import type { ApiObject } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import type { RbacAuthorizer } from "../auth/rbac-authorizer.ts";
import type { AdmissionAttributes } from "../server/admission.ts";
import { forbidden, invalid } from "../server/status-error.ts";
import { requestOf } from "../kinds/access/certificate-request.ts";
import { FieldErrors } from "../kinds/field-errors.ts";
import { type AdmissionPlugin, isResource } from "./plugin.ts";

const { certificateSigningRequests, clusterTrustBundles, podCertificateRequests } = resources;

/** Who approves and signs must be allowed to do it for that signer, and so must who attests for one. */
export function certificateSigners(rbac: RbacAuthorizer): AdmissionPlugin {
  const check = (attributes: AdmissionAttributes, verb: string, signerName: string): boolean =>
    [signerName, `${signerName.split("/")[0] ?? ""}/*`].some((name) =>
      isAllowed(rbac, attributes, verb, name),
    );
  return {
    name: "CertificateSigners",
    validate(attributes, object) {
      if (attributes.operation === "DELETE" || object === undefined) return;
      if (isResource(attributes, clusterTrustBundles)) return checkBundle(attributes, object, check);
      const { before, subresource } = attributes;
      if (before === undefined) return;
      const signerName = signerNameOf(before);
      const refuse = (what: string): never => {
        throw forbidden(
          attributes.resource,
          attributes.name,
          `user not permitted to ${what} requests with signerName ${JSON.stringify(signerName)}`,
        );
      };
      if (isResource(attributes, certificateSigningRequests)) {
        if (subresource === "approval" && !check(attributes, "approve", signerName)) refuse("approve");
        if (subresource === "status" && hasAnswer(before, object) && !check(attributes, "sign", signerName))
          refuse("sign");
      }
      if (isResource(attributes, podCertificateRequests) && subresource === "status")
        checkPodRequest(attributes, object, check(attributes, "sign", signerName));
    },
  };
}

function isAllowed(rbac: RbacAuthorizer, { user }: AdmissionAttributes, verb: string, name: string): boolean {
  const { group } = certificateSigningRequests;
  const wanted = { verb, group, resource: "signers", subresource: "", name, namespace: "", path: "" };
  return rbac.isAllowed(user, wanted);
}

function signerNameOf(object: ApiObject): string {
  return text(child(asJson(object), "spec"), "signerName");
}

function statusOf(object: ApiObject): Json {
  return child(asJson(object), "status") ?? {};
}

/** A certificate, or a condition. */
function hasAnswer(before: ApiObject, object: ApiObject): boolean {
  const [old, now] = [statusOf(before), statusOf(object)];
  return (
    text(old, "certificate") !== text(now, "certificate") ||
    !sameValue(items(old, "conditions"), items(now, "conditions"))
  );
}

function checkBundle(
  attributes: AdmissionAttributes,
  object: ApiObject,
  check: (attributes: AdmissionAttributes, verb: string, signerName: string) => boolean,
): void {
  const signerName = signerNameOf(object);
  if (signerName === "" || attributes.subresource !== "") return;
  const { before } = attributes;
  // Owners and finalizers are for the collector to change.
  const isSame =
    before !== undefined &&
    sameValue(asJson(before)["spec"], asJson(object)["spec"]) &&
    sameLabels(before, object);
  if (isSame || check(attributes, "attest", signerName)) return;
  throw forbidden(
    attributes.resource,
    attributes.name,
    `user not permitted to attest for signerName ${JSON.stringify(signerName)}`,
  );
}

function sameLabels({ metadata: before }: ApiObject, { metadata: after }: ApiObject): boolean {
  return (
    sameValue(before.labels ?? {}, after.labels ?? {}) &&
    sameValue(before.annotations ?? {}, after.annotations ?? {})
  );
}

function checkPodRequest(attributes: AdmissionAttributes, object: ApiObject, mayAnswer: boolean): void {
  const { before, user, name } = attributes;
  if (mayAnswer || before === undefined || sameValue(statusOf(before), statusOf(object))) return;
  const errors = new FieldErrors();
  errors.forbidden(
    "spec.signerName",
    `User ${JSON.stringify(user.username)} is not permitted to "sign" for signer ${JSON.stringify(signerNameOf(before))}`,
  );
  throw invalid(podCertificateRequests, name, errors.list);
}

/** Nobody becomes an administrator by a certificate that clients are given. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: "CertificateSubjectRestriction",
  validate(attributes, object) {
    const isCreate = attributes.operation === "CREATE" && attributes.subresource === "";
    if (!isCreate || object === undefined || !isResource(attributes, certificateSigningRequests)) return;
    if (signerNameOf(object) !== signerNames.apiServerClient) return;
    if (requestOf(object)?.organizations.includes("system:masters") !== true) return;
    throw forbidden(
      attributes.resource,
      attributes.name,
      `use of ${signerNames.apiServerClient} signer with system:masters group is not allowed`,
    );
  },
};
