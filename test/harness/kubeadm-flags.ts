import { join } from "node:path";
import type { RealCluster } from "./real-cluster.ts";

/** The flags that kubeadm writes into its static Pod, with the files of a test's cluster. */
export function kubeadmFlags(
  { directory }: Pick<RealCluster, "directory">,
  kubeconfig: string,
  securePort: number,
): readonly string[] {
  const file = (name: string): string => join(directory, name);
  return [
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    `--client-ca-file=${file("ca.crt")}`,
    "--cluster-name=kubernetes",
    `--cluster-signing-cert-file=${file("ca.crt")}`,
    `--cluster-signing-key-file=${file("ca.key")}`,
    "--controllers=*,bootstrapsigner,tokencleaner",
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect=true",
    `--requestheader-client-ca-file=${file("front-proxy-ca.crt")}`,
    `--root-ca-file=${file("ca.crt")}`,
    `--secure-port=${securePort}`,
    `--service-account-private-key-file=${file("service-account.key")}`,
    "--use-service-account-credentials=true",
  ];
}

/** What kubeadm adds where pods have a network of their own: --pod-network-cidr. */
export const POD_NETWORK_FLAGS: readonly string[] = [
  "--allocate-node-cidrs=true",
  "--cluster-cidr=10.244.0.0/16",
  "--service-cluster-ip-range=10.96.0.0/12",
];

/** What kubeadm changes where it has no key of the cluster's CA. */
export const EXTERNAL_CA_FLAGS: readonly string[] = [
  "--cluster-signing-cert-file=",
  "--cluster-signing-key-file=",
];

/** The user that kubeadm's controller-manager.conf names. */
export const MANAGER_USER = "system:kube-controller-manager";
