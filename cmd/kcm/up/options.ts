/** What `kcm up` was asked for, checked as far as that goes without looking at the machine. */
export interface UpOptions {
  readonly port: number;
  readonly nodes: number;
  /** Absolute, as are all paths here. */
  readonly dataDirectory: string | undefined;
  readonly controllers: readonly string[];
  readonly kubeconfig: string;
  readonly apiServerOnly: boolean;
  readonly insecureAdmin: boolean;
  readonly verbosity: number;
}
