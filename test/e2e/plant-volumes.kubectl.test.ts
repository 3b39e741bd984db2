import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kubectls } from "./kcm-process.ts";
import { KubectlStage } from "./kubectl-stage.ts";

const chart = (namespace: string): string => `
apiVersion: v1
kind: Service
metadata: { name: db, namespace: ${namespace} }
spec: { clusterIP: None, selector: { app: db }, ports: [{ port: 5432 }] }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db, namespace: ${namespace} }
spec:
  serviceName: db
  replicas: 2
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec: { containers: [{ name: db, image: postgres:17, volumeMounts: [{ name: data, mountPath: /data }] }] }
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: extra, namespace: ${namespace} }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`;

describe.each(kubectls())("%s and volumes on a cluster of kcm up", (path) => {
  const stage = KubectlStage.use(path);
  const { output } = stage;

  test("there is a default class", async () => {
    expect(await output("get", "storageclass")).toMatch(
      /standard \(default\) +hollow\.kcm\.dev +Delete +WaitForFirstConsumer +true/,
    );
  });

  test.each(["a chart", "a namespace"])("%s with a StatefulSet and claims goes", async (what) => {
    const namespace = what.replace(" ", "-");
    const file = join(stage.directory, "chart.yaml");
    await writeFile(file, chart(namespace));
    await output("create", "namespace", namespace);
    await output("apply", "-f", file);
    await output("rollout", "status", "statefulset/db", "-n", namespace, "--timeout=120s");
    const claims = await output("get", "pvc", "-n", namespace, "--no-headers");
    expect(claims).toMatch(/^data-db-0 +Bound +pvc-\S+ +1Gi +RWO +standard/m);
    expect(claims).toMatch(/^extra +Pending +standard/m);
    expect(await output("describe", "pvc", "extra", "-n", namespace)).toMatch(
      /WaitForFirstConsumer .* waiting for first consumer to be created before binding/,
    );
    if (what === "a chart") {
      await output("delete", "-f", file, "--timeout=120s");
      await output("delete", "pvc", "--all", "-n", namespace, "--timeout=120s");
      await output("wait", "--for=delete", "pv", "--all", "--timeout=120s");
    }
    await output("delete", "namespace", namespace, "--timeout=120s");
    await output("wait", "--for=delete", "pv", "--all", "--timeout=120s");
  });

  test("a claim that asks for more grows", async () => {
    await output("create", "namespace", "grows");
    const file = join(stage.directory, "chart.yaml");
    await writeFile(file, chart("grows"));
    await output("apply", "-f", file);
    await output("rollout", "status", "statefulset/db", "-n", "grows", "--timeout=120s");
    const more = JSON.stringify({ spec: { resources: { requests: { storage: "3Gi" } } } });
    await output("patch", "pvc", "data-db-0", "-n", "grows", "-p", more);
    const grown = "--for=jsonpath={.status.capacity.storage}=3Gi";
    await output("wait", grown, "pvc/data-db-0", "-n", "grows", "--timeout=60s");
    await output("delete", "namespace", "grows", "--timeout=120s");
  });
});
