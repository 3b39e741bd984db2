import type { ConfigMap } from "../../pkg/api/types/core-v1.gen.ts";

/** Pods mount it by this name: it is part of the projected volume that admission adds to them. */
export const CONFIG_MAP = "kube-root-ca.crt";
const KEY = "ca.crt";
const DESCRIPTION = "kubernetes.io/description";
const DESCRIPTION_TEXT =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the " +
  "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

export function newConfigMap(namespace: string, rootCa: string): ConfigMap {
  return {
    metadata: { namespace, name: CONFIG_MAP, annotations: { [DESCRIPTION]: DESCRIPTION_TEXT } },
    data: { [KEY]: rootCa },
  };
}

/** The map with the right CA, all else kept; undefined when it has that. Others may write a description of their own. */
export function repairedConfigMap(map: ConfigMap, rootCa: string): ConfigMap | undefined {
  const { data = {}, metadata } = map;
  const isRight = data[KEY] === rootCa && Object.keys(data).length === 1;
  if (isRight && metadata.annotations?.[DESCRIPTION]) return undefined;
  return {
    ...map,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [DESCRIPTION]: DESCRIPTION_TEXT } },
    data: { [KEY]: rootCa },
  };
}
