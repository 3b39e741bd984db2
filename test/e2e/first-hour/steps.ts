import { box, chart, database, definition, deployment, object, quota } from "./manifests.ts";
import { apply, refused, refusedManifest, run, type Step, until, wait } from "./step.ts";

const slow = `${"a".repeat(200)}!`;

/** What somebody types in the first hour, in that order, in a namespace of its own. */
export const firstHour: readonly Step[] = [
  {
    name: "looks around",
    calls: [
      run("create namespace hour"),
      run("config set-context --current --namespace=hour"),
      run("get namespaces hour", /hour +Active/),
      until("get nodes", /node-0 +Ready[\s\S]*node-1 +Ready[\s\S]*node-2 +Ready/),
      run("get all", /No resources found in hour namespace/),
      refused("get widgets", /the server doesn't have a resource type "widgets"/),
      refused("get pod nothing", /pods "nothing" not found/),
    ],
  },
  {
    name: "a StatefulSet with claims",
    calls: [
      apply(database, /statefulset\.apps\/db created/),
      wait("rollout status statefulset/db --timeout=120s"),
      run("get statefulset,pods", /statefulset\.apps\/db +2\/2/),
      run("get pvc", /data-db-0 +Bound[\s\S]*data-db-1 +Bound/),
      run("scale statefulset/db --replicas=1"),
      until("get pods", /^(?![\s\S]*db-1)[\s\S]*db-0/),
      run("get pvc -o name", /data-db-1/),
      run("delete pvc data-db-1 --timeout=60s", /"data-db-1" deleted/),
      until("describe statefulset db", /Replicas: +1 desired \| 1 total[\s\S]*SuccessfulDelete/),
    ],
  },
  {
    name: "a chart, which comes and goes",
    calls: [
      apply(chart, /cronjob\.batch\/report created/),
      wait("rollout status deployment/shop --timeout=120s"),
      wait("wait --for=condition=Complete job/migrate --timeout=120s"),
      run("get deployment,service,ingress,pdb,cronjob,job", /job\.batch\/migrate +Complete +1\/1/),
      run("get pvc shop", /shop +Bound/),
      apply(chart, /deployment\.apps\/shop unchanged/),
      run("set image deployment/shop c=shop:2"),
      wait("rollout status deployment/shop --timeout=120s"),
      run("rollout history deployment/shop", /2 +<none>/),
      { ...run("delete --timeout=120s", /deployment\.apps "shop" deleted/), manifest: chart },
      until("get pods,pvc -l app=shop", /No resources found/),
      refused("get pvc shop", /persistentvolumeclaims "shop" not found/),
    ],
  },
  {
    name: "a bad image",
    calls: [
      run("run bad --image=example.com/does-not-exist:1"),
      until("get pod bad", /ImagePullBackOff/),
      until("describe pod bad", /Error: ErrImagePull[\s\S]*Error: ImagePullBackOff/),
      run("delete pod bad --timeout=60s --grace-period=1"),
    ],
  },
  {
    name: "drains a node",
    calls: [
      apply(deployment),
      wait("rollout status deployment/front --timeout=120s"),
      run("cordon node-1"),
      run("get node node-1", /Ready,SchedulingDisabled/),
      wait("drain node-1 --ignore-daemonsets --delete-emptydir-data --force --timeout=120s"),
      until("get pods --field-selector spec.nodeName=node-1", /No resources found/),
      wait("rollout status deployment/front --timeout=120s"),
      run("uncordon node-1"),
      run("create pdb front --selector=app=front --min-available=3"),
      until("get pdb front", /front +3 +N\/A +0 /),
      run("describe pdb front", /Min available: +3/),
      run("delete pdb front"),
    ],
  },
  {
    name: "taints",
    calls: [
      run("taint node --all team=a:NoSchedule", /node\/node-0 tainted/),
      run("run shut-out --image=nginx"),
      until("get pod shut-out", /shut-out +0\/1 +Pending/),
      until("describe pod shut-out", /FailedScheduling.*had untolerated taint/),
      run("taint node --all team:NoSchedule-", /node\/node-0 untainted/),
      wait("wait --for=condition=Ready pod/shut-out --timeout=60s"),
      run("delete pod shut-out --timeout=60s --grace-period=1"),
      refused("taint node node-0 team=a:Never", /invalid taint/),
    ],
  },
  {
    name: "broken objects",
    calls: [
      refusedManifest(object("v1", "Secret", "data: {a: not base64}"), /illegal base64 data/),
      refusedManifest(object("v1", "ResourceQuota", "spec: {hard: {pods: 0x1g}}"), /quantities must match/),
      refusedManifest(
        object("v1", "Pod", "spec: {containers: [{name: c}]}"),
        /spec.containers\[0\].image: Required/,
      ),
      refusedManifest(
        object("v1", "Pod", "spec: {containers: [{nam: c}]}"),
        /unknown field "spec.containers\[0\].nam"/,
      ),
      refusedManifest(object("v1", "Service", "spec: {ports: [{port: 70000}]}"), /between 1 and 65535/),
      refusedManifest(
        object("v1", "Service", "spec: {ports: [{port: many}]}"),
        /cannot unmarshal|ValidationError|invalid type/,
      ),
      refusedManifest(
        object("batch/v1", "CronJob", "spec: {schedule: often}"),
        /spec.schedule: Invalid value: "often"/,
      ),
      refusedManifest(
        object("v9", "Pod", "spec: {}"),
        /no matches for kind "Pod" in version "v9"|error validating data/,
      ),
      run("label namespace hour pod-security.kubernetes.io/enforce=restricted"),
      refused("run unsafe --image=nginx", /violates PodSecurity "restricted:latest"/),
      run("label namespace hour pod-security.kubernetes.io/enforce-"),
    ],
  },
  {
    name: "quota",
    calls: [
      run("delete deployment,statefulset --all --timeout=60s"),
      until("get pods", /No resources found/),
      apply(quota, /resourcequota\/few created/),
      until("get quota few", /pods: 0\/1/),
      run("run one --image=nginx", /pod\/one created/),
      run("get pod one -o jsonpath={.spec.containers[0].resources}", /"cpu":"100m"/),
      until("get quota few", /pods: 1\/1/),
      refused(
        "run two --image=nginx",
        /exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1/,
      ),
      run("describe quota few", /pods +1 +1/),
      run("describe limitrange usual"),
      run("delete pod one --timeout=60s --grace-period=1"),
      run("delete quota,limitrange --all"),
    ],
  },
  {
    name: "custom resources: zeros and patterns",
    calls: [
      apply(definition, /boxes\.example\.com created/),
      wait("wait --for=condition=Established crd/boxes.example.com --timeout=60s"),
      { ...apply(box("a", "{label: ABC}"), /box\.example\.com\/a created/), isPolled: true },
      run("get box a -o jsonpath={.spec}", /"closed":false,"label":"ABC","note":"","size":0/),
      run("get bx", /a +0/),
      {
        ...apply(box("b", "{size: -1}"), /spec\.size: Invalid value: -1: .*greater than or equal to 0/),
        exitCode: 1,
      },
      refusedManifest(box("b", "{nothing: x}"), /spec\.nothing: Too long: may not be more than 0/),
      refusedManifest(box("b", '{label: "a1"}'), /spec\.label: Invalid value: "a1".*should match/),
      refusedManifest(box("b", `{slow: "${slow}"}`), /spec\.slow: Invalid value.*should match/),
      run("delete crd boxes.example.com --timeout=60s"),
      refused("get crd boxes.example.com", /"boxes\.example\.com" not found/),
    ],
  },
  {
    name: "nobody gives away what they do not have",
    calls: [
      run("create clusterrole binder --verb=create,get --resource=rolebindings,roles"),
      run("create rolebinding bob --clusterrole=binder --user=bob"),
      refused(
        "create rolebinding me --clusterrole=cluster-admin --user=bob --as=bob",
        /attempting to grant RBAC permissions not currently held/,
      ),
      refused(
        "create role all --verb=* --resource=secrets --as=bob",
        /attempting to grant RBAC permissions not currently held/,
      ),
      run(
        "create role some --verb=get --resource=roles.rbac.authorization.k8s.io --as=bob",
        /role\.rbac\.authorization\.k8s\.io\/some created/,
      ),
      refused("get secrets --as=bob", /User "bob" cannot list resource "secrets"/),
      run("delete clusterrole binder"),
    ],
  },
  {
    name: "a namespace that goes with all that is in it",
    calls: [
      apply(database),
      wait("rollout status statefulset/db --timeout=120s"),
      run("delete namespace hour --timeout=120s", /namespace "hour" deleted/),
      refused("get namespace hour", /namespaces "hour" not found/),
      until("get pv", /No resources found/),
    ],
  },
];
