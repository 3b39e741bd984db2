import { dump } from "js-yaml";
import type { ApiObject } from "../../../pkg/api/object.ts";
import type { Deployment } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { PolicyRule } from "../../../pkg/api/types/rbac-v1.gen.ts";
import { clientConfigOf, CONVERT_PATH, webhookConfigurations } from "../../../pkg/webhook/configurations.ts";
import type { OperatorModule } from "./load-module.ts";
import { ownNamespaceRules } from "./permission-sets.ts";

export interface ManifestsOptions {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  readonly rules: readonly PolicyRule[];
}

const WEBHOOK_PORT = 9_443;
const HEALTH_PORT = 8_081;
const METRICS_PORT = 8_080;
const RBAC = "rbac.authorization.k8s.io";

/** All that an operator needs in a cluster, in the order in which it is to be applied. */
export function operatorManifests(operator: OperatorModule, options: ManifestsOptions): readonly ApiObject[] {
  const { name, namespace } = options;
  const { crds, webhooks, controllers } = operator;
  const service = `${name}-webhooks`;
  const address = { service: { namespace, name: service, port: 443 } };
  const conversionWebhook = clientConfigOf(address, CONVERT_PATH);
  const served = crds.filter(({ conversions }) => conversions.length > 0);
  const hasServer = webhooks.length > 0 || served.length > 0;
  const { mutating, validating } = webhookConfigurations({ name, webhooks, address });
  const definitions = crds.map((crd) => crd.manifest({ conversionWebhook }));
  if (controllers.length === 0 && !hasServer) return definitions;
  return [
    ...definitions,
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } },
    ...access(options, hasServer),
    ...(hasServer ? [webhookService(service, options)] : []),
    deployment(options, hasServer),
    ...[mutating, validating].filter((one) => one !== undefined),
  ];
}

function access({ name, namespace, rules }: ManifestsOptions, hasServer: boolean): readonly ApiObject[] {
  const role = (kind: string): object => ({ apiGroup: RBAC, kind, name });
  const subjects = [{ kind: "ServiceAccount", name, namespace }];
  const apiVersion = `${RBAC}/v1`;
  const own = { name, namespace };
  return [
    object({ apiVersion, kind: "ClusterRole", metadata: { name }, rules }),
    object({
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: role("ClusterRole"),
      subjects,
    }),
    object({ apiVersion, kind: "Role", metadata: own, rules: ownNamespaceRules(hasServer) }),
    object({ apiVersion, kind: "RoleBinding", metadata: own, roleRef: role("Role"), subjects }),
  ];
}

const object = <T extends ApiObject>(it: T): T => it;

function webhookService(service: string, { name, namespace }: ManifestsOptions): ApiObject {
  return object({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: service, namespace },
    spec: { selector: labelsOf(name), ports: [{ name: "webhooks", port: 443, targetPort: "webhooks" }] },
  });
}

const labelsOf = (name: string): Readonly<Record<string, string>> => ({ "app.kubernetes.io/name": name });

function deployment(options: ManifestsOptions, hasServer: boolean): Deployment {
  const { name, namespace, image, replicas } = options;
  const labels = labelsOf(name);
  const probe = (path: string): object => ({ httpGet: { path, port: "health" } });
  const ports = [
    { name: "health", containerPort: HEALTH_PORT },
    { name: "metrics", containerPort: METRICS_PORT },
    ...(hasServer ? [{ name: "webhooks", containerPort: WEBHOOK_PORT }] : []),
  ];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          containers: [
            {
              name: "operator",
              image,
              env: [{ name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }],
              ports,
              livenessProbe: probe("/healthz"),
              readinessProbe: probe("/readyz"),
              resources: { requests: { cpu: "10m", memory: "96Mi" }, limits: { memory: "256Mi" } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ["ALL"] },
              },
            },
          ],
        },
      },
    },
  };
}

/** Documents that kubectl apply takes. */
export function inYaml(objects: readonly ApiObject[]): string {
  return objects.map((one) => dump(one, { lineWidth: 120, noRefs: true })).join("---\n");
}
