/** What `kcm up` was asked for, checked as far as that goes without looking at the machine. */
export interface UpOptions {
  readonly name: string;
  /** The directory of all clusters. Absolute, as are all paths here. */
  readonly home: string;
  readonly port: number | typeof ANY_PORT;
  readonly nodes: number;
  readonly dataDirectory: string | undefined;
  readonly controllers: readonly string[];
  /** Left out: where the cluster has its other files. */
  readonly kubeconfig: string | undefined;
  readonly mergeKubeconfig: boolean;
  readonly kubernetesMinor: number;
  readonly apiServerOnly: boolean;
  readonly insecureAdmin: boolean;
  readonly verbosity: number;
}

/** The usual port where it is free, else any. */
export const ANY_PORT = "any";
export const DEFAULT_PORT = 7443;
