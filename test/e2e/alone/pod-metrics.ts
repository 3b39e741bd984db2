import type { Server } from "node:https";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { resources } from "../../../pkg/api/resources.ts";
import { formatTime } from "../../../pkg/api/time.ts";
import type { APIService } from "../../../pkg/api/types/apiregistration-v1.gen.ts";
import type { Pod, Service } from "../../../pkg/api/types/core-v1.gen.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import type { CertificateAuthority } from "../../../pkg/pki/certificate-authority.ts";

const GROUP = "metrics.k8s.io";
const VERSION = "v1beta1";
const ROOT = `/apis/${GROUP}/${VERSION}`;
const PODS = new RegExp(`^${ROOT}/namespaces/([^/]+)/pods$`);
const metadata = { name: "metrics-server", namespace: "kube-system" };

/** A metrics-server for the API server's aggregator: all pods of a namespace together use what a test says. */
export class PodMetrics {
  /** Thousandths of a core that the pods of a namespace share. */
  readonly milliCpu = new Map<string, number>();
  readonly #client: ClientSet;
  #server: Server | undefined;

  constructor(client: ClientSet) {
    this.#client = client;
  }

  /** The aggregator finds it by a Service of type ExternalName: addresses of this machine are refused in others. */
  async start(authority: CertificateAuthority): Promise<void> {
    const { cert, key } = await authority.issue({ commonName: "metrics-server", hosts: ["localhost"] });
    const server = createServer({ cert, key }, (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "https://localhost");
      this.#answer(pathname, searchParams.get("labelSelector") ?? "").then(
        (body) => {
          response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
          response.end(JSON.stringify(body ?? {}));
        },
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    this.#server = server;
    await this.#register((server.address() as AddressInfo).port);
  }

  async stop(): Promise<void> {
    const server = this.#server;
    server?.closeAllConnections();
    await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  }

  async #register(port: number): Promise<void> {
    const spec = { type: "ExternalName", externalName: "localhost" };
    await this.#client.clientFor<Service>(resources.services).create({ metadata, spec });
    await this.#client.clientFor<APIService>(resources.apiServices).create({
      metadata: { name: `${VERSION}.${GROUP}` },
      spec: {
        group: GROUP,
        version: VERSION,
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { ...metadata, port },
      },
    });
  }

  async #answer(path: string, labelSelector: string): Promise<object | undefined> {
    const apiVersion = `${GROUP}/${VERSION}`;
    const podResource = { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics" };
    if (path === ROOT)
      return {
        kind: "APIResourceList",
        apiVersion: "v1",
        groupVersion: apiVersion,
        resources: [{ ...podResource, verbs: ["get", "list"] }],
      };
    const namespace = PODS.exec(path)?.[1];
    if (namespace === undefined) return undefined;
    const pods = this.#client.clientFor<Pod>(resources.pods);
    const all = (await pods.list({ namespace, labelSelector })).items;
    const running = all.filter(({ status }) => status?.phase === "Running");
    const cpu = `${Math.round((this.milliCpu.get(namespace) ?? 0) / Math.max(1, running.length))}m`;
    const items = running.map(({ metadata: { name, labels } }) => ({
      metadata: { name, namespace, labels },
      timestamp: formatTime(realClock.nowMs()),
      window: "1s",
      containers: [{ name: "main", usage: { cpu, memory: "1Mi" } }],
    }));
    return { kind: "PodMetricsList", apiVersion, metadata: {}, items };
  }
}
