import { expect, test } from "vitest";
import { hintsFor } from "./hints.ts";
import { ANY_PORT, type UpOptions } from "./options.ts";

const options: UpOptions = {
  name: "default",
  home: "/home/me/.kcm",
  port: ANY_PORT,
  nodes: 3,
  dataDirectory: undefined,
  controllers: ["*"],
  kubeconfig: undefined,
  mergeKubeconfig: false,
  kubernetesMinor: 36,
  apiServerOnly: false,
  insecureAdmin: false,
  verbosity: 0,
};

test("the first thing to type is how to get at the cluster, the last how to end it", () => {
  const hints = (changed: Partial<UpOptions>): readonly (string | undefined)[] => {
    const all = hintsFor({ ...options, ...changed }, "/k/it's mine", true);
    return [all[0], all.at(-1)];
  };
  expect(hints({})).toEqual(["export KUBECONFIG='/k/it'\\''s mine'", "kcm down"]);
  expect(hints({ name: "b", mergeKubeconfig: true })).toEqual([
    "kubectl config use-context kcm-b",
    "kcm down b",
  ]);
});

test.each<[what: string, changed: Partial<UpOptions>, second: string]>([
  ["with controllers", { controllers: ["-*", "deployment"] }, "kubectl get deployments,pods -o wide"],
  ["without them", { controllers: ["-*"] }, "kube-controller-manager --kubeconfig /k"],
  ["with none left", { controllers: ["-job"] }, "kube-controller-manager --kubeconfig /k"],
  ["with an API alone", { apiServerOnly: true }, "kubectl get namespaces"],
])("%s the next thing is %j", (_, changed, second) => {
  expect(hintsFor({ ...options, ...changed }, "/k", true)[1]).toBe(second);
});

test("nobody is told to scale what is not there", () => {
  expect(hintsFor(options, "/k", false).slice(1, -1)).toEqual([
    "kubectl create deployment web --image=nginx --replicas=3",
    ...hintsFor(options, "/k", true).slice(1, -1),
  ]);
});
