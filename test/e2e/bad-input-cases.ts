/** Something that an operator got wrong: flags (`@` is the test's directory), and what the one line says. */
type Mistake = readonly [what: string, flags: readonly string[], says: RegExp];

export const CONFIG =
  "apiVersion: kubecontrollermanager.config.k8s.io/v1alpha1\nkind: KubeControllerManagerConfiguration\n";
export const MIGRATION =
  "apiVersion: controllermanager.config.k8s.io/v1\nkind: LeaderMigrationConfiguration\n";

export const flagMistakes: readonly Mistake[] = [
  ["an unknown flag", ["--no-such-flag"], /unknown flag: --no-such-flag/],
  ["a misspelt flag", ["--kubeconfg=x"], /unknown flag: --kubeconfg \(is it --kubeconfig\?\)/],
  ["an unknown short flag", ["-x"], /unknown shorthand flag: -x/],
  ["an argument that is no flag", ["run"], /unexpected argument "run"/],
  ["a flag without its value", ["--kubeconfig"], /flag needs an argument: --kubeconfig/],
  ["no duration", ["--leader-elect-lease-duration=banana"], /"banana" for --leader-elect-lease-duration/],
  [
    "a lease shorter than its renewal",
    ["--leader-elect-lease-duration=5s"],
    /must be greater than --leader-elect-renew-deadline/,
  ],
  ["no number", ["--concurrent-deployment-syncs=two"], /"two" for --concurrent-deployment-syncs/],
  ["no decimal", ["--kube-api-qps=fast"], /"fast" for --kube-api-qps/],
  ["no boolean", ["--profiling=maybe"], /"maybe" for --profiling/],
  ["a port out of range", ["--secure-port=70000"], /--secure-port must be from 0 to 65535/],
  ["no address", ["--bind-address=nowhere"], /"nowhere" for --bind-address/],
  ["an unknown controller", ["--controllers=*,no-such"], /"no-such\\?" is not a controller/],
  ["an unknown feature gate", ["--feature-gates=NoSuch=true"], /unrecognized feature gate: NoSuch/],
  ["a feature gate without value", ["--feature-gates=AllAlpha"], /missing bool value for AllAlpha/],
  ["an unknown log format", ["--logging-format=xml"], /--logging-format must be text, json/],
  ["no log level", ["--v=loud"], /"loud" for --v/],
  [
    "levels by module in JSON",
    ["--logging-format=json", "--vmodule=a=1"],
    /--vmodule works with --logging-format=text only/,
  ],
  ["an unknown TLS version", ["--tls-min-version=VersionTLS09"], /--tls-min-version must be one of/],
  ["half of a pair of names", ["--tls-sni-cert-key=one"], /"one" for --tls-sni-cert-key/],
  [
    "a lock that is gone",
    ["--leader-elect-resource-lock=endpoints"],
    /--leader-elect-resource-lock must be leases/,
  ],
  [
    "half of a signer",
    ["--cluster-signing-cert-file=x"],
    /--cluster-signing-cert-file and --cluster-signing-key-file/,
  ],
  [
    "node ranges without a range",
    ["--allocate-node-cidrs"],
    /Must specify --cluster-cidr if --allocate-node-cidrs is set/,
  ],
  [
    "no range",
    ["--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/64"],
    /--cluster-cidr: invalid CIDR\[0\]: <nil> \(invalid CIDR address: 10.0.0.0\/64\)/,
  ],
  [
    "too many ranges",
    ["--service-cluster-ip-range=a,b,c"],
    /--service-cluster-ip-range can not contain more than two entries/,
  ],
  [
    "hidden metrics of a far version",
    ["--show-hidden-metrics-for-version=9.9"],
    /must be omitted or have the value '1.35'/,
  ],
  ["a label without values", ["--allow-metric-labels=x"], /"x" for --allow-metric-labels/],
  [
    "a label without its metric",
    ["--allow-metric-labels=label=value"],
    /must have keys with format `metricName,labelName`/,
  ],
  ["no name of a metric", ["--disabled-metrics=a.b"], /must be fully qualified metric names .*got "a.b"/],
  [
    "two lists of labels",
    ["--allow-metric-labels=m,l=v", "--allow-metric-labels-manifest=x"],
    /--allow-metric-labels and --allow-metric-labels-manifest cannot both be given/,
  ],
  [
    "a missing list of labels",
    ["--allow-metric-labels-manifest=/nowhere"],
    /--allow-metric-labels-manifest \/nowhere: ENOENT/,
  ],
  ["an old version", ["--emulated-version=kube=1.20"], /--emulated-version must be kube=1.33 to kube=1.36/],
  ["no URL", ["--kubeconfig=", "--master=://x"], /--master: .*is not a URL/],
  ["neither cluster nor kubeconfig", ["--kubeconfig="], /neither --kubeconfig nor --master is given/],
];

export const fileMistakes: readonly Mistake[] = [
  ["a missing configuration", ["--config=/nowhere"], /--config \/nowhere: ENOENT/],
  ["a configuration that is none", ["--config=@/garbage"], /--config .*garbage: must hold one object/],
  [
    "a configuration of another kind",
    ["--config=@/other-kind.yaml"],
    /must be of apiVersion kubecontrollermanager/,
  ],
  ["an unknown field", ["--config=@/unknown-field.yaml"], /unknown field Generic\.Nope/],
  ["a field of another type", ["--config=@/wrong-type.yaml"], /Generic\.MinResyncPeriod must be a string/],
  [
    "a missing migration",
    ["--enable-leader-migration", "--leader-migration-config=/nowhere"],
    /--leader-migration-config \/nowhere: ENOENT/,
  ],
  [
    "a migration without a name",
    ["--enable-leader-migration", "--leader-migration-config=@/migration.yaml"],
    /leaderName must be set/,
  ],
  ["a certificate without key", ["--tls-cert-file=@/one.crt"], /--tls-cert-file and --tls-private-key-file/],
  [
    "a missing certificate",
    ["--tls-cert-file=/nowhere", "--tls-private-key-file=@/one.key"],
    /--tls-cert-file.*ENOENT/,
  ],
  [
    "a certificate that is none",
    ["--tls-cert-file=@/garbage", "--tls-private-key-file=@/one.key"],
    /the serving certificate cannot be used/,
  ],
  [
    "the key of another",
    ["--tls-cert-file=@/one.crt", "--tls-private-key-file=@/other.key"],
    /key values mismatch/,
  ],
  [
    "a missing certificate for a name",
    ["--tls-sni-cert-key=/nowhere,@/one.key"],
    /--tls-sni-cert-key: ENOENT/,
  ],
  ["an unknown cipher suite", ["--tls-cipher-suites=NO_SUCH"], /cipher suite NO_SUCH does not exist/],
  ["an unknown curve", ["--tls-curve-preferences=9999"], /--tls-curve-preferences: unknown curve 9999/],
  ["a missing client CA", ["--client-ca-file=/nowhere"], /--client-ca-file \/nowhere: ENOENT/],
  [
    "a client CA that is none",
    ["--client-ca-file=@/garbage"],
    /--client-ca-file .*garbage: there is no certificate/,
  ],
  [
    "a proxy CA that is none",
    ["--requestheader-client-ca-file=@/garbage"],
    /--requestheader-client-ca-file .*no certificate/,
  ],
  [
    "a directory that is a file",
    ["--cert-dir=@/garbage"],
    /--cert-dir: the generated certificate cannot be kept/,
  ],
  ["an address that is not ours", ["--bind-address=192.0.2.1"], /cannot listen on 192\.0\.2\.1/],
  ["a missing kubeconfig", ["--kubeconfig=/nowhere"], /kubeconfig \/nowhere cannot be read: ENOENT/],
  ["a kubeconfig that is none", ["--kubeconfig=@/garbage"], /kubeconfig .*garbage: the file holds no object/],
  [
    "a missing kubeconfig for authentication",
    ["--authentication-kubeconfig=/nowhere"],
    /kubeconfig \/nowhere cannot be read/,
  ],
  [
    "a missing kubeconfig for authorization",
    ["--authorization-kubeconfig=/nowhere"],
    /kubeconfig \/nowhere cannot be read/,
  ],
];

export interface KubeconfigParts {
  readonly server?: string;
  readonly cluster?: Readonly<Record<string, string>>;
  readonly user?: Readonly<Record<string, string>>;
  readonly context?: string;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

export const kubeconfigMistakes: readonly (readonly [what: string, parts: KubeconfigParts, says: RegExp])[] =
  [
    ["an unknown context", { context: "other" }, /there is no context other/],
    ["no URL of the server", { server: "://nope" }, /server: .*is not a URL/],
    [
      "a CA that is none",
      { cluster: { "certificate-authority-data": base64("x") } },
      /the certificate authority is not a certificate/,
    ],
    [
      "a missing CA",
      { cluster: { "certificate-authority": "/nowhere" } },
      /the certificate authority cannot be read: ENOENT/,
    ],
    [
      "data that is not base64",
      { cluster: { "certificate-authority-data": "%" } },
      /certificate-authority-data is not base64/,
    ],
    [
      "a certificate without key",
      { user: { "client-certificate": "one.crt" } },
      /only one of client certificate and key/,
    ],
    [
      "a missing client certificate",
      { user: { "client-certificate": "/nowhere", "client-key": "one.key" } },
      /the client certificate cannot be read: ENOENT/,
    ],
    [
      "a client certificate that is none",
      { user: { "client-certificate": "garbage", "client-key": "one.key" } },
      /the client certificate is not a certificate/,
    ],
    [
      "the key of another client",
      { user: { "client-certificate": "one.crt", "client-key": "other.key" } },
      /does not belong to the client key/,
    ],
    ["a missing token", { user: { tokenFile: "/nowhere" } }, /the token cannot be read: ENOENT/],
    ["two ways to authenticate", { user: { token: "a", username: "b" } }, /has both a token and a user name/],
  ];
