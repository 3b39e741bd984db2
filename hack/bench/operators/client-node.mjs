// The operator by hand, on the informers of @kubernetes/client-node.
import { CoreV1Api, CustomObjectsApi, KubeConfig, makeInformer } from "@kubernetes/client-node";

const WORKERS = 10;
const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const custom = config.makeApiClient(CustomObjectsApi);
const where = { group: "bench.example.com", version: "v1", plural: "pages" };
const pages = makeInformer(config, "/apis/bench.example.com/v1/pages", async () =>
  custom.listClusterCustomObject(where),
);
const maps = makeInformer(config, "/api/v1/configmaps", async () => core.listConfigMapForAllNamespaces());

const waiting = new Set();
let working = 0;
let isReady = false;

function wake({ metadata: { namespace, name } }) {
  waiting.add(`${namespace}/${name}`);
  work();
}

function work() {
  for (const key of waiting) {
    if (!isReady || working === WORKERS) return;
    waiting.delete(key);
    working++;
    reconcile(key)
      .catch((error) => {
        console.error(error);
        waiting.add(key);
      })
      .finally(() => {
        working--;
        work();
      });
  }
}

async function reconcile(key) {
  const [namespace, name] = key.split("/");
  const page = pages.get(name, namespace);
  if (page === undefined) return;
  const map = maps.get(name, namespace);
  const data = { "index.html": page.spec.text };
  if (map?.data?.["index.html"] === data["index.html"]) return;
  const { uid } = page.metadata;
  const owner = { apiVersion: "bench.example.com/v1", kind: "Page", name, uid, controller: true };
  const body = { metadata: { namespace, name, ownerReferences: [owner] }, data };
  if (map === undefined) await core.createNamespacedConfigMap({ namespace, body });
  else await core.replaceNamespacedConfigMap({ namespace, name, body });
}

for (const informer of [pages, maps]) {
  for (const event of ["add", "update", "delete"]) informer.on(event, wake);
  informer.on("error", () => setTimeout(() => informer.start(), 1_000));
}
process.once("SIGTERM", () => process.exit(0));
await Promise.all([pages.start(), maps.start()]);
isReady = true;
work();
