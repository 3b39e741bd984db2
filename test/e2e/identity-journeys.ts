import { hasCondition } from "../../pkg/api/conditions.ts";
import type { ApiObject } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import type { TypedResource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Job, JobSpec } from "../../pkg/api/types/batch-v1.gen.ts";
import type { ConfigMap, Pod, ResourceQuota, Secret } from "../../pkg/api/types/core-v1.gen.ts";
import type { ClusterRole } from "../../pkg/api/types/rbac-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { SCRIPT_ANNOTATION } from "../../pkg/cluster/hollow/script.ts";
import { Deployments } from "../harness/deployments.ts";
import { until } from "../harness/until.ts";
import { budgetJourney } from "./budget-journey.ts";
import { daemonSetJourney } from "./daemon-set-journey.ts";
import { statefulSetJourney } from "./stateful-set-journey.ts";
import { mirroringJourney, serviceJourney } from "./service-journeys.ts";

/** Something that makes one controller do all that it ever does, each in a namespace of its own. */
export interface IdentityJourney {
  readonly name: string;
  run(client: ClientSet, namespace: string): Promise<void>;
}

const template = {
  spec: { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }] },
} as const;

async function count<T extends ApiObject>(
  client: ClientSet,
  resource: TypedResource<T>,
  namespace: string,
): Promise<number> {
  return (await client.clientFor(resource).list({ namespace })).items.length;
}

export const identityJourneys: readonly IdentityJourney[] = [
  {
    name: "a quota is counted",
    run: async (client, namespace) => {
      const quotas = client.clientFor<ResourceQuota>(resources.resourceQuotas);
      const hard = { pods: "10", configmaps: "10" };
      await quotas.create({ metadata: { name: "quota", namespace }, spec: { hard } });
      await until("its usage is known", async () => {
        const { status } = await quotas.get({ namespace, name: "quota" });
        return status?.used?.["configmaps"] === "1";
      });
    },
  },
  {
    name: "a token Secret is filled",
    run: async (client, namespace) => {
      const secrets = client.clientFor<Secret>(resources.secrets);
      const annotations = { "kubernetes.io/service-account.name": "default" };
      const metadata = { name: "token", namespace, annotations };
      await secrets.create({ metadata, type: "kubernetes.io/service-account-token" });
      await until("it holds a token", async () => {
        const { data } = await secrets.get({ namespace, name: "token" });
        return data?.["token"] !== undefined;
      });
      await client.clientFor(resources.serviceAccounts).delete({ namespace, name: "default" });
      await until(
        "it goes with its account",
        async () => (await count(client, resources.secrets, namespace)) === 0,
      );
    },
  },
  {
    name: "roles are aggregated",
    run: async (client, namespace) => {
      const roles = client.clientFor<ClusterRole>(resources.clusterRoles);
      const labels = { aggregate: namespace };
      const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
      await roles.create({ metadata: { name: `${namespace}-part`, labels }, rules });
      const whole = `${namespace}-whole`;
      const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] };
      await roles.create({ metadata: { name: whole }, aggregationRule });
      await until("the whole has the rules of its part", async () => {
        return ((await roles.get({ name: whole })).rules ?? []).length === 1;
      });
    },
  },
  {
    name: "what is owned goes with its owner, or is left as an orphan",
    run: async (client, namespace) => {
      const deployments = new Deployments(client, namespace);
      for (const name of ["background", "foreground", "orphan"]) {
        await deployments.create(name, 1);
        await until(`${name} is complete`, async () => deployments.isComplete(name));
      }
      for (const propagationPolicy of ["Background", "Foreground", "Orphan"] as const) {
        const ref = { namespace, name: propagationPolicy.toLowerCase() };
        await client.clientFor(resources.deployments).delete(ref, { propagationPolicy });
      }
      await until("one ReplicaSet is left", async () => {
        const { items } = await client.clientFor(resources.replicaSets).list({ namespace });
        return items.length === 1 && items[0]?.metadata.ownerReferences === undefined;
      });
      await until("one pod is left", async () => (await count(client, resources.pods, namespace)) === 1);
    },
  },
  {
    name: "a CronJob starts Jobs",
    run: async (client, namespace) => {
      const spec = { schedule: "* * * * *", jobTemplate: { spec: { template } } };
      await client.clientFor(resources.cronJobs).create({ metadata: { name: "cron", namespace }, spec });
      const hasJob = async (): Promise<boolean> => (await count(client, resources.jobs, namespace)) > 0;
      await until("the first Job is there", hasJob, 90_000, 500);
    },
  },
  {
    name: "Jobs complete, fail, are suspended, adopt pods and let them go",
    run: async (client, namespace) => {
      const jobs = client.clientFor<Job>(resources.jobs);
      const start = async (name: string, script: string, spec: Partial<JobSpec> = {}): Promise<void> => {
        const labels = { job: name };
        const metadata = { labels, annotations: { [SCRIPT_ANNOTATION]: script } };
        const own = { ...template, metadata };
        await jobs.create({ metadata: { name, namespace }, spec: { template: own, ...spec } });
      };
      const becomes = async (name: string, type: string): Promise<void> => {
        await until(`Job ${name} is ${type}`, async () => {
          const { status } = await jobs.get({ namespace, name });
          return hasCondition(status?.conditions, type, "True");
        });
      };
      const indexed = { completionMode: "Indexed", completions: 3, parallelism: 2 };
      await start("done", "exit 0", indexed);
      await becomes("done", "Complete");
      // One pod fails, so that the other is deleted.
      await start("failed", "sleep 1; exit 1", { ...indexed, backoffLimit: 0 });
      await becomes("failed", "Failed");
      const podsOf = async (name: string): Promise<readonly Pod[]> =>
        (await client.clientFor<Pod>(resources.pods).list({ namespace, labelSelector: `job=${name}` })).items;
      const labels = { job: "adopting" };
      const orphan = { metadata: { name: "orphan", namespace, labels }, spec: template.spec };
      await client.clientFor<Pod>(resources.pods).create(orphan);
      const selector = { matchLabels: labels };
      await start("adopting", "run", { parallelism: 2, manualSelector: true, selector });
      await until("it has two pods, one of them adopted", async () => {
        const pods = await podsOf("adopting");
        return pods.length === 2 && pods.every((pod) => controllerOf(pod)?.name === "adopting");
      });
      await jobs.patch({ namespace, name: "adopting" }, { type: "merge", body: { spec: { suspend: true } } });
      await becomes("adopting", "Suspended");
      await start("gone", "run");
      await until("it has a pod", async () => (await podsOf("gone")).length === 1);
      await jobs.delete({ namespace, name: "gone" }, { propagationPolicy: "Orphan" });
      await until("its pod is let go", async () => {
        const [pod] = await podsOf("gone");
        return pod !== undefined && pod.metadata.finalizers === undefined;
      });
    },
  },
  { name: "a StatefulSet is rolled, scaled, orphaned and adopted", run: statefulSetJourney },
  { name: "a DaemonSet is rolled, orphaned and adopted", run: daemonSetJourney },
  { name: "disruption budgets are counted", run: budgetJourney },
  {
    name: "a finished Job is deleted",
    run: async (client, namespace) => {
      const jobs = client.clientFor<Job>(resources.jobs);
      const spec = { ttlSecondsAfterFinished: 0, template };
      const job = await jobs.create({ metadata: { name: "job", namespace }, spec });
      const at = formatTime(realClock.nowMs());
      const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
        type,
        status: "True",
        lastProbeTime: at,
        lastTransitionTime: at,
      }));
      const status = { conditions, startTime: at, completionTime: at, succeeded: 1 };
      await jobs.updateStatus({ ...job, status });
      await until("it is gone", async () => (await count(client, resources.jobs, namespace)) === 0);
    },
  },
  { name: "the pods of a Service are its endpoints", run: serviceJourney },
  { name: "Endpoints that are kept by hand are mirrored", run: mirroringJourney },
  {
    name: "the description of the cluster is signed with a token, which is deleted when its time is over",
    run: async (client) => {
      const maps = client.clientFor<ConfigMap>(resources.configMaps);
      const info = { namespace: "kube-public", name: "cluster-info" };
      await maps.create({ metadata: info, data: { kubeconfig: "text" } });
      const signatures = async (): Promise<number> =>
        Object.keys((await maps.get(info)).data ?? {}).length - 1;
      const secrets = client.clientFor<Secret>(resources.secrets);
      const token = { namespace: "kube-system", name: "bootstrap-token-abcdef" };
      await secrets.create({
        metadata: token,
        type: "bootstrap.kubernetes.io/token",
        stringData: {
          "token-id": "abcdef",
          "token-secret": "0123456789abcdef",
          "usage-bootstrap-signing": "true",
        },
      });
      await until("it is signed", async () => (await signatures()) === 1);
      const body = { stringData: { expiration: formatTime(realClock.nowMs()) } };
      await secrets.patch(token, { type: "merge", body });
      await until("the signature goes with the token", async () => (await signatures()) === 0);
    },
  },
];
