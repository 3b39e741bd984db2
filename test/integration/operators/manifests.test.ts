import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadOperator } from "../../../cmd/kcm/manifests/load-module.ts";
import { operatorManifests } from "../../../cmd/kcm/manifests/manifests.ts";
import { observe } from "../../../cmd/kcm/manifests/observe.ts";
import { clusterRules } from "../../../cmd/kcm/manifests/permissions.ts";
import { featureGates } from "../../../pkg/api/feature-gates.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { resourceOfKind, resources } from "../../../pkg/api/resources.ts";
import type { ClientBuilder } from "../../../pkg/client/client-builder.ts";
import { realClock, realRandom } from "../../../pkg/clock/real.ts";
import { ControllerSet } from "../../../pkg/controller/controller-set.ts";
import { installCrds } from "../../../pkg/crd/install-crds.ts";
import { openGate } from "../../../pkg/leader/fence.ts";
import { silentLogger } from "../../../pkg/log/logger.ts";
import { noMetrics } from "../../../pkg/metrics/metrics.ts";
import { clientsOf } from "../../harness/admin-client.ts";
import { servers, type TestServer } from "../../harness/servers.ts";
import { operator, Site } from "../../harness/site-operator.ts";
import { until } from "../../harness/until.ts";

const MODULE = new URL("../../harness/site-operator.ts", import.meta.url).pathname;
const name = "site-operator";
const namespace = "sites";
let manifests: readonly ApiObject[];

beforeAll(async () => {
  const module = await loadOperator(MODULE);
  const rules = clusterRules(await observe(module), module, name);
  manifests = operatorManifests(module, { name, namespace, image: "x", replicas: 1, rules });
});

test("all that belongs to an operator is printed, in the order in which it can be applied", () => {
  expect(manifests.map(({ kind }) => kind)).toEqual([
    "CustomResourceDefinition",
    "Namespace",
    "ServiceAccount",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "Service",
    "Deployment",
    "ValidatingWebhookConfiguration",
  ]);
});

test("permissions are those that were seen to be needed, and what goes with them", () => {
  const role = manifests.find(({ kind }) => kind === "ClusterRole");
  const all = ["get", "list", "watch", "create", "update", "patch", "delete"];
  expect(role).toMatchObject({
    rules: [
      { apiGroups: [""], resources: ["configmaps"], verbs: all },
      { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
      {
        resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
        resourceNames: [name],
      },
      { resources: ["customresourcedefinitions"], resourceNames: ["sites.sites.example.com"] },
      { resources: ["customresourcedefinitions"], verbs: ["create"] },
      { apiGroups: ["events.k8s.io"] },
      { resources: ["sites"], verbs: ["get", "list", "watch", "update", "patch"] },
      { resources: ["sites/finalizers"], verbs: ["update"] },
      { resources: ["sites/status"], verbs: ["get", "update", "patch"] },
    ],
  });
});

describe.each(servers)("an operator from its manifests ($name)", ({ start }) => {
  let server: TestServer;
  let admin: ClientBuilder;
  let itsOwn: ClientBuilder;

  beforeAll(async () => {
    server = await start();
    admin = await clientsOf(server.kubeconfig);
    const client = admin.client("test");
    for (const object of manifests) {
      const resource = resourceOfKind(object.apiVersion ?? "", object.kind ?? "");
      if (resource === undefined) throw new Error(`${object.kind} is unknown`);
      await client.dynamic(resource).apply(object, { fieldManager: "test", fieldValidation: "Strict" });
    }
    const token = await client
      .clientFor(resources.serviceAccounts)
      .createSubresource<{ readonly status: { readonly token: string } }>({ namespace, name }, "token", {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: {},
      });
    itsOwn = await clientsOf(await server.kubeconfigWith("operator", { token: token.status.token }));
  });
  afterAll(async () => {
    await itsOwn.close();
    await admin.close();
    await server.stop();
  });

  test("works with the permissions that it was given", async () => {
    const client = admin.client("test");
    // Nobody is there to answer.
    await client.clientFor(resources.validatingWebhookConfigurations).delete({ name });
    const service = { namespace, name: "site-operator-webhooks", port: 443, path: "/convert" };
    await installCrds(itsOwn.client("test"), [Site], { conversionWebhook: { service } });
    const set = new ControllerSet({
      descriptors: [operator],
      clients: itsOwn,
      gate: openGate,
      clock: realClock,
      random: realRandom,
      log: silentLogger,
      metrics: noMetrics,
      features: featureGates(),
      name,
    });
    const stop = new AbortController();
    const ended = set.run(stop.signal);
    await client
      .clientFor(Site)
      .create(Site.object({ metadata: { name: "one", namespace: "default" }, spec: {} }));
    const maps = client.clientFor(resources.configMaps);
    await until("its ConfigMap is there", async () => {
      const { items } = await maps.list({ namespace: "default", fieldSelector: "metadata.name=one" });
      return items.length === 1;
    });
    stop.abort(new Error("enough"));
    await ended;
  });
});
