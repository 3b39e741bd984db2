import type { ConfigMap } from "../../pkg/api/types/core-v1.gen.ts";

/** How to reach and trust the cluster: anybody may read it, and whoever has a token can tell that it is genuine. */
export const CLUSTER_INFO = { namespace: "kube-public", name: "cluster-info" } as const;

const SIGNATURE_PREFIX = "jws-kubeconfig-";

/** What is signed; undefined when there is nothing to sign. */
export function contentOf({ data }: ConfigMap): string | undefined {
  return data?.["kubeconfig"];
}

/** The map with exactly these signatures, which are by id of the token; undefined when it has them. */
export function signedClusterInfo(
  map: ConfigMap,
  signatures: ReadonlyMap<string, string>,
): ConfigMap | undefined {
  const entries = Object.entries(map.data ?? {});
  const others = entries.filter(([key]) => !key.startsWith(SIGNATURE_PREFIX));
  const wanted = [...signatures].map(([id, signature]): [string, string] => [
    `${SIGNATURE_PREFIX}${id}`,
    signature,
  ]);
  const isSigned =
    entries.length === others.length + wanted.length &&
    wanted.every(([key, signature]) => map.data?.[key] === signature);
  return isSigned ? undefined : { ...map, data: Object.fromEntries([...others, ...wanted]) };
}
