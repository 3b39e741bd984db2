import { bool, FlagError, ofType } from "../kube-controller-manager/options/flag.ts";
import { StartError } from "../../pkg/manager/start-error.ts";
import { defineCommand } from "./command.ts";
import { pathType } from "./flag-types.ts";

export const typesCommand = defineCommand({
  name: "types",
  takes: "[FILE...]",
  summary: "Print TypeScript types of custom resources, from their definitions",
  flags: {
    cluster: bool("cluster", false, "Take all definitions of a cluster instead of files."),
    kubeconfig: ofType(pathType)("kubeconfig", "", "Which cluster; that of $KUBECONFIG when left out."),
  },
  examples: [
    ["kcm types crds/*.yaml > src/types.ts", "Of definitions in files"],
    ["kcm types --cluster --kubeconfig ~/.kube/config", "Of all that a cluster has"],
  ],
  run: async ({ values, given, words }) => {
    if (values.cluster === words.length > 0) throw new FlagError("name files, or --cluster, but not both");
    if (given.has("kubeconfig") && !values.cluster) throw new FlagError("--kubeconfig goes with --cluster");
    const { definitionsInCluster, definitionsInFile } = await import("./types/read-definitions.ts");
    const { typesOfDefinitions } = await import("./types/types-of-definitions.ts");
    const kubeconfig = values.kubeconfig === "" ? (process.env["KUBECONFIG"] ?? "") : values.kubeconfig;
    if (values.cluster && kubeconfig === "")
      throw new StartError("name a cluster with --kubeconfig or $KUBECONFIG");
    const definitions = values.cluster
      ? await definitionsInCluster(kubeconfig)
      : (await Promise.all(words.map(async (file) => definitionsInFile(file)))).flat();
    process.stdout.write(typesOfDefinitions(definitions));
    return 0;
  },
});
