import { randomSuffix } from "../../api/names.ts";
import { resources } from "../../api/resources.ts";
import type { ServiceAccount } from "../../api/types/core-v1.gen.ts";
import type { Random } from "../../clock/random.ts";
import { specOf } from "../kinds/define-kind.ts";
import { type Json, items, stringMap, text } from "../../api/json.ts";
import type { AdmissionAttributes } from "../server/admission.ts";
import { forbidden } from "../server/status-error.ts";
import type { ClusterReader } from "./cluster-reader.ts";
import { type AdmissionPlugin, createdDraft } from "./plugin.ts";

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const volumePrefix = "kube-api-access-";
/** Just over an hour: by this number the API server tells the tokens that it extends. */
const tokenSeconds = 3607;

/** Every pod runs as a service account, "default" when it names none, and gets that account's token. */
export function serviceAccountAdmission(reader: ClusterReader, random: Random): AdmissionPlugin {
  return {
    name: "ServiceAccount",
    mutate(attributes, draft) {
      const pod = createdDraft(attributes, resources.pods, draft);
      if (pod === undefined) return;
      const spec = specOf(pod);
      if (stringMap(pod.metadata, "annotations")["kubernetes.io/config.mirror"] !== undefined) {
        refuseAccountOfMirror(attributes, spec);
        return;
      }
      const name = text(spec, "serviceAccountName") || "default";
      spec["serviceAccountName"] = name;
      spec["serviceAccount"] = name;
      const account = reader.get(resources.serviceAccounts, attributes.namespace, name);
      if (account === undefined) {
        throw forbidden(
          resources.pods,
          attributes.refusedName,
          `error looking up service account ${attributes.namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
        );
      }
      if (wantsToken(spec, account)) mountToken(spec, random);
      if (items(spec, "imagePullSecrets").length === 0 && (account.imagePullSecrets ?? []).length > 0) {
        spec["imagePullSecrets"] = (account.imagePullSecrets ?? []).map((secret) => ({
          name: secret.name ?? "",
        }));
      }
    },
  };
}

function refuseAccountOfMirror(attributes: AdmissionAttributes, spec: Json): void {
  if (text(spec, "serviceAccountName") === "") return;
  throw forbidden(resources.pods, attributes.refusedName, "a mirror pod may not reference service accounts");
}

function wantsToken(spec: Json, account: ServiceAccount): boolean {
  const own = spec["automountServiceAccountToken"];
  return typeof own === "boolean" ? own : account.automountServiceAccountToken !== false;
}

function mountToken(spec: Json, random: Random): void {
  const existing = items(spec, "volumes").find((volume) => text(volume, "name").startsWith(volumePrefix));
  const name = existing === undefined ? `${volumePrefix}${randomSuffix(random)}` : text(existing, "name");
  let mounted = false;
  for (const container of [...items(spec, "initContainers"), ...items(spec, "containers")]) {
    const mounts = items(container, "volumeMounts");
    if (mounts.some((mount) => text(mount, "mountPath") === mountPath)) continue;
    container["volumeMounts"] = [...mounts, { name, readOnly: true, mountPath }];
    mounted = true;
  }
  if (existing !== undefined || !mounted) return;
  spec["volumes"] = [...items(spec, "volumes"), tokenVolume(name)];
}

function tokenVolume(name: string): Json {
  const sources = [
    { serviceAccountToken: { expirationSeconds: tokenSeconds, path: "token" } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    {
      downwardAPI: {
        items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
      },
    },
  ];
  return { name, projected: { sources, defaultMode: 0o644 } };
}
