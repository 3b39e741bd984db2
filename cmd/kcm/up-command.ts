import { resolve } from "node:path";
import type { CommandSpec, OptionSpec } from "yargs";
import { StartError } from "../kube-controller-manager/start-error.ts";
import type { UpOptions } from "./up/options.ts";

const DEFAULT_PORT = 7443;
const MOST_NODES = 5_000;

const options: Readonly<Record<string, OptionSpec>> = {
  port: {
    type: "number",
    describe: "Port of the API on 127.0.0.1; 0 takes any free one",
    default: DEFAULT_PORT,
    requiresArg: true,
  },
  nodes: {
    type: "number",
    describe: "How many hollow nodes run the pods; with 0 nothing is scheduled",
    default: 3,
    requiresArg: true,
  },
  "data-dir": {
    type: "string",
    describe: "Keep the cluster in this directory, across restarts; otherwise it lives in memory only",
    requiresArg: true,
  },
  controllers: {
    type: "array",
    describe:
      "Which controllers run, as in kube-controller-manager: * for the default ones, -NAME for all but NAME",
    default: ["*"],
    defaultDescription: "*",
    requiresArg: true,
  },
  kubeconfig: {
    type: "string",
    describe: "Where to write the credentials of the administrator",
    defaultDescription: "kubeconfig in --data-dir, else .kcm/kubeconfig",
    requiresArg: true,
  },
  "apiserver-only": {
    type: "boolean",
    describe: "Only the API: no controllers, no nodes, no example. For tests of other programs",
    default: false,
  },
  "insecure-admin": {
    type: "boolean",
    describe: "Plain HTTP, and everybody who connects is the administrator",
    default: false,
  },
  v: {
    type: "number",
    alias: "verbosity",
    describe: "How much the controllers log, as with klog",
    default: 0,
    requiresArg: true,
  },
};

export function upCommand(onEnd: (exitCode: number) => void): CommandSpec {
  return {
    command: "up",
    describe: "Start a cluster in this process: API server, controllers, scheduler and hollow nodes",
    builder: (parser) =>
      parser
        .options(options)
        .example("$0 up", "A cluster with three nodes and an example at work")
        .example("$0 up --data-dir ./cluster", "The same, and it is still there after a restart")
        .example("$0 up --apiserver-only --port 0", "An empty API to test against"),
    handler: async (argv) => {
      const options = readOptions(argv);
      const { up } = await import("./up/up.ts");
      onEnd(await up(options));
    },
  };
}

function readOptions(argv: Readonly<Record<string, unknown>>): UpOptions {
  const dataDirectory = pathIn(argv, "data-dir");
  const controllers = [argv["controllers"]].flat().flatMap((item) => String(item).split(","));
  return {
    port: integerIn(argv, "port", 65_535),
    nodes: integerIn(argv, "nodes", MOST_NODES),
    dataDirectory,
    controllers: controllers.map((item) => item.trim()).filter((item) => item !== ""),
    kubeconfig: pathIn(argv, "kubeconfig") ?? resolve(dataDirectory ?? ".kcm", "kubeconfig"),
    apiServerOnly: argv["apiserver-only"] === true,
    insecureAdmin: argv["insecure-admin"] === true,
    verbosity: integerIn(argv, "v", 10),
  };
}

function integerIn(argv: Readonly<Record<string, unknown>>, name: string, most: number): number {
  const value = argv[name];
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most) return value;
  throw new StartError(`--${name} takes a whole number from 0 to ${most}`);
}

function pathIn(argv: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = argv[name];
  if (value === undefined) return undefined;
  if (typeof value === "string" && value !== "") return resolve(value);
  throw new StartError(`--${name} takes a path`);
}
