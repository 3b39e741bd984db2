import { contextOf } from "../kubeconfig/access.ts";
import type { UpOptions } from "./options.ts";

/** Whether anybody here does something about objects. */
export function hasControllers({ apiServerOnly, controllers }: UpOptions): boolean {
  return !apiServerOnly && !controllers.every((item) => item.startsWith("-"));
}

/** What to type next, most useful first. Some of it is about the example, where this program comes with one. */
export function hintsFor(options: UpOptions, kubeconfig: string, hasExample: boolean): readonly string[] {
  const { name, mergeKubeconfig } = options;
  const file = shellWord(kubeconfig);
  const access = mergeKubeconfig
    ? `kubectl config use-context ${contextOf(name)}`
    : `export KUBECONFIG=${file}`;
  return [
    access,
    ...commandsFor(options, file, hasExample),
    name === "default" ? "kcm down" : `kcm down ${name}`,
  ];
}

function commandsFor(options: UpOptions, file: string, hasExample: boolean): readonly string[] {
  if (options.apiServerOnly) {
    return ["kubectl get namespaces", "kubectl create configmap hello --from-literal=a=b"];
  }
  if (!hasControllers(options)) {
    return [`kube-controller-manager --kubeconfig ${file}`, "kubectl get deployments,pods -o wide"];
  }
  return [
    ...(hasExample ? [] : ["kubectl create deployment web --image=nginx --replicas=3"]),
    "kubectl get deployments,pods -o wide",
    "kubectl scale deployment web --replicas=10",
    "kubectl rollout status deployment web",
  ];
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
