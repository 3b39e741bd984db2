import { resolve } from "node:path";
import { bool, FlagError, list, ofType } from "../kube-controller-manager/options/flag.ts";
import { NEWEST_MINOR, OLDEST_MINOR } from "../../pkg/apiserver/discovery/release.ts";
import { clusterHome } from "./clusters/cluster-home.ts";
import { type Asked, defineCommand } from "./command.ts";
import { clusterNameType, numberFrom, pathType } from "./flag-types.ts";
import { newAccountKey } from "./up/account-key.ts";
import { ANY_PORT, DEFAULT_PORT, type UpOptions } from "./up/options.ts";

const MOST_NODES = 5_000;
const path = ofType(pathType);

const flags = {
  name: ofType(clusterNameType)("name", "default", "Name of the cluster: several can run side by side."),
  port: ofType(numberFrom(0, 65_535))(
    "port",
    DEFAULT_PORT,
    "Port of the API on 127.0.0.1; 0 takes any free one, as does the default where it is taken.",
  ),
  nodes: ofType(numberFrom(0, MOST_NODES))(
    "nodes",
    3,
    "How many hollow nodes run the pods; with 0 nothing is scheduled.",
  ),
  dataDir: path(
    "data-dir",
    "",
    "Keep the cluster in this directory, across restarts; otherwise it lives in memory only.",
  ),
  controllers: list(
    "controllers",
    ["*"],
    "Which controllers run, as in kube-controller-manager: * for the default ones, NAME and -NAME for one more or less, -* for none but those named.",
  ),
  kubeconfig: path(
    "kubeconfig",
    "",
    "Where to write the credentials of the administrator; kubeconfig in --data-dir, else in the cluster's own directory, when left out.",
  ),
  mergeKubeconfig: bool(
    "merge-kubeconfig",
    false,
    "Add the context kcm-NAME to ~/.kube/config as well; it is taken out when the cluster ends.",
  ),
  kubernetesMinor: ofType(numberFrom(OLDEST_MINOR, NEWEST_MINOR))(
    "kubernetes-minor",
    NEWEST_MINOR,
    `Stand in for Kubernetes v1.MINOR (${OLDEST_MINOR} to ${NEWEST_MINOR}) in what /version, the nodes and discovery say. Rules and fields are always those of v1.${NEWEST_MINOR}.`,
  ),
  apiserverOnly: bool(
    "apiserver-only",
    false,
    "Only the API: no controllers, no nodes, no example. For tests of other programs.",
  ),
  insecureAdmin: bool(
    "insecure-admin",
    false,
    "Plain HTTP, and everybody who connects is the administrator.",
  ),
  verbosity: ofType(numberFrom(0, 10))(
    "verbosity",
    0,
    "How much the controllers log, as with klog; with 0 only warnings and errors.",
    { shorthand: "v" },
  ),
};

export const upCommand = defineCommand({
  name: "up",
  summary: "Start a cluster in this process: API server, controllers, scheduler and hollow nodes",
  flags,
  examples: [
    ["kcm up", "A cluster with three nodes and an example at work"],
    ["kcm up --name second", "Another one beside it"],
    ["kcm up --data-dir ./cluster", "One that is still there after a restart"],
    ["kcm up --controllers='-*'", "One that waits for a controller manager of yours"],
    ["kcm up --apiserver-only --port 0", "An empty API to test against"],
  ],
  run: async (asked) => {
    const options = optionsOf(asked);
    // Before the many modules of a cluster are read, which takes a good part of the time.
    process.stdout.write(`starting cluster ${options.name}\n`);
    const accountKey = options.dataDirectory === undefined ? newAccountKey() : undefined;
    const { up } = await import("./up/up.ts");
    return up(options, accountKey);
  },
});

function optionsOf({ values, given, words }: Asked<typeof flags>): UpOptions {
  if (words.length > 0) {
    throw new FlagError(`unexpected argument ${JSON.stringify(words[0])}: kcm up takes flags only`);
  }
  const absolute = (path: string): string | undefined => (path === "" ? undefined : resolve(path));
  return {
    name: values.name,
    home: clusterHome(process.env),
    port: given.has("port") ? values.port : ANY_PORT,
    nodes: values.apiserverOnly ? 0 : values.nodes,
    dataDirectory: absolute(values.dataDir),
    controllers: values.controllers,
    kubeconfig: absolute(values.kubeconfig),
    mergeKubeconfig: values.mergeKubeconfig,
    kubernetesMinor: values.kubernetesMinor,
    apiServerOnly: values.apiserverOnly,
    insecureAdmin: values.insecureAdmin,
    verbosity: values.verbosity,
  };
}
