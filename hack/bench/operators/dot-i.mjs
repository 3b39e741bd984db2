// The operator on @dot-i/k8s-operator, which hands over events one after the other and has no caches.
import dotI from "@dot-i/k8s-operator";

class PageOperator extends dotI.default {
  async init() {
    await this.watchResource("bench.example.com", "v1", "pages", async ({ type, object }) => {
      if (type !== "DELETED") await this.reconcile(object);
    });
  }

  async reconcile({ metadata: { namespace, name, uid }, spec: { text } }) {
    const data = { "index.html": text };
    const owner = { apiVersion: "bench.example.com/v1", kind: "Page", name, uid, controller: true };
    const body = { metadata: { namespace, name, ownerReferences: [owner] }, data };
    try {
      const map = await this.k8sApi.readNamespacedConfigMap(name, namespace);
      if (map.body.data?.["index.html"] === text) return;
      await this.k8sApi.replaceNamespacedConfigMap(name, namespace, body);
    } catch (error) {
      if (error.statusCode !== 404) throw error;
      await this.k8sApi.createNamespacedConfigMap(namespace, body);
    }
  }
}

const operator = new PageOperator();
process.once("SIGTERM", () => {
  operator.stop();
  process.exit(0);
});
await operator.start();
