import { basename, dirname, resolve } from "node:path";
import { FlagError, ofType } from "../kube-controller-manager/options/flag.ts";
import { defineCommand } from "./command.ts";
import { nameType, numberFrom, textType } from "./flag-types.ts";

const MOST_REPLICAS = 100;

export const manifestsCommand = defineCommand({
  name: "manifests",
  takes: "MODULE",
  summary: "Print what an operator needs in a cluster: definitions, permissions, Deployment, webhooks",
  flags: {
    name: ofType(nameType)("name", "", "Name of the operator; that of its only controller when left out."),
    namespace: ofType(nameType)("namespace", "", "Where it runs; NAME-system when left out."),
    image: ofType(textType)("image", "", "Its image; NAME:latest when left out."),
    replicas: ofType(numberFrom(0, MOST_REPLICAS))("replicas", 1, "How many of it run; one of them leads."),
  },
  examples: [
    [
      "kcm manifests src/operator.ts | kubectl apply -f -",
      "What the module exports, and what it was seen to do for the examples that it exports",
    ],
  ],
  run: async ({ values, words }) => {
    const [module, ...more] = words;
    if (module === undefined) throw new FlagError("name the module of the operator");
    if (more.length > 0)
      throw new FlagError(`unexpected argument ${JSON.stringify(more[0])}: one module at a time`);
    const { loadOperator } = await import("./manifests/load-module.ts");
    const operator = await loadOperator(module);
    const { observe } = await import("./manifests/observe.ts");
    const { clusterRules } = await import("./manifests/permissions.ts");
    const { doubtsOf } = await import("./manifests/doubts.ts");
    const { inYaml, operatorManifests } = await import("./manifests/manifests.ts");
    const [only, ...others] = operator.controllers;
    const name = values.name || (others.length === 0 && only?.name) || folderName(module);
    const seen = await observe(operator);
    for (const doubt of doubtsOf(operator, seen))
      process.stderr.write(`Warning: permissions may be missing for ${module}: ${doubt}\n`);
    const rules = clusterRules(seen, operator, name);
    const namespace = values.namespace || `${name}-system`;
    const image = values.image || `${name}:latest`;
    process.stdout.write(
      inYaml(operatorManifests(operator, { name, namespace, image, rules, replicas: values.replicas })),
    );
    return 0;
  },
});

/** Of the project, as far as that is a name. */
function folderName(module: string): string {
  const directory = dirname(resolve(module));
  const folder = basename(basename(directory) === "src" ? dirname(directory) : directory);
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return name === "" ? "operator" : name;
}
