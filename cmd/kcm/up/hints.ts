import { contextOf } from "../kubeconfig/access.ts";
import type { UpOptions } from "./options.ts";

/** What to type next, most useful first. */
export function hintsFor(options: UpOptions, kubeconfig: string): readonly string[] {
  const { name, mergeKubeconfig } = options;
  const access = mergeKubeconfig
    ? `kubectl config use-context ${contextOf(name)}`
    : `export KUBECONFIG=${shellWord(kubeconfig)}`;
  return [access, ...commandsFor(options), name === "default" ? "kcm down" : `kcm down ${name}`];
}

function commandsFor({ apiServerOnly, controllers, mergeKubeconfig }: UpOptions): readonly string[] {
  if (apiServerOnly) return ["kubectl get namespaces", "kubectl create configmap hello --from-literal=a=b"];
  if (controllers.includes("-*") && !mergeKubeconfig) {
    return ['kube-controller-manager --kubeconfig "$KUBECONFIG"', "kubectl get deployments,pods -o wide"];
  }
  return [
    "kubectl get deployments,pods -o wide",
    "kubectl scale deployment web --replicas=10",
    "kubectl rollout status deployment web",
  ];
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
