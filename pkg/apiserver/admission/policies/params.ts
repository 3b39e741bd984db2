import type { ApiObject } from "../../../api/object.ts";
import { selectorFromSpec } from "../../../api/label-selector.ts";
import type { ParamKind, ParamRef } from "../../../api/types/admissionregistration-v1.gen.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import { readAsServed, readyToRead, type ServedResource, storageKey } from "../../server/served-resource.ts";
import type { Store } from "../../storage/store.ts";
import { PolicyConfigurationError } from "./policy-configuration-error.ts";

/** The resource that the params of a policy are of; undefined where it has none. */
export function paramResource(
  kind: ParamKind | undefined,
  attributes: AdmissionAttributes,
): ServedResource | undefined {
  if (kind === undefined) return undefined;
  const { apiVersion = "", kind: name = "" } = kind;
  const found = attributes.servedKind(apiVersion, name);
  if (found !== undefined) return found;
  const shown = `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${name}`;
  throw new PolicyConfigurationError(`failed to find resource referenced by paramKind: '${shown}'`);
}

/**
 * With what a policy is evaluated, once for each: undefined stands for no params. Throws a PolicyConfigurationError.
 * upstream: apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go#CollectParams
 */
export async function collectParams(
  served: ServedResource | undefined,
  ref: ParamRef | undefined,
  attributes: AdmissionAttributes,
  store: Store,
): Promise<readonly (ApiObject | undefined)[]> {
  if (served === undefined || ref === undefined) return [undefined];
  const { namespaced } = served.resource;
  const { name = "", namespace = "", selector, parameterNotFoundAction } = ref;
  const from = namespaced ? namespace || attributes.namespace : "";
  if (namespaced && from === "")
    throw new PolicyConfigurationError(
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    );
  if (!namespaced && namespace !== "")
    throw new PolicyConfigurationError(
      "paramRef.namespace must not be provided for a cluster-scoped `paramKind`",
    );
  if (name !== "" && selector !== undefined)
    throw new PolicyConfigurationError("paramRef.name and paramRef.selector are mutually exclusive");
  if (name === "" && selector === undefined)
    throw new PolicyConfigurationError("one of name or selector must be provided");
  const stored = (): readonly ApiObject[] => {
    if (name === "") return store.scan(served.bucket, { prefix: namespaced ? `${from}/` : "" }).items;
    const found = store.get(served.bucket, storageKey(namespaced, from, name));
    return found === undefined ? [] : [found];
  };
  const { conversion } = served;
  if (conversion?.remote !== undefined) await readyToRead(conversion.remote, stored);
  const matcher = selector && selectorFromSpec(selector);
  const params = stored()
    .filter(({ metadata }) => matcher === undefined || matcher.matches(metadata.labels))
    .map((param) => readAsServed(served, param));
  if (params.length === 0 && parameterNotFoundAction === "Deny")
    throw new PolicyConfigurationError(
      "no params found for policy binding with `Deny` parameterNotFoundAction",
    );
  return params;
}
