import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { resources } from "../../pkg/api/resources.ts";
import { hasCondition } from "../../pkg/api/conditions.ts";
import type { ApiObject } from "../../pkg/api/object.ts";
import type { APIService } from "../../pkg/api/types/apiregistration-v1.gen.ts";
import type { Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { CertificateAuthority } from "../../pkg/pki/certificate-authority.ts";
import type { FakeAnswer } from "./fake-transport.ts";
import { METRICS_VERSIONS } from "./load-metrics.ts";
import { until } from "./until.ts";

/** What answers for the APIs of metrics. */
export interface MetricsAnswers {
  answer(path: string, query: URLSearchParams | undefined): Promise<FakeAnswer>;
}

const NAMESPACE = "kube-system";
const NAME = "metrics-on-loopback";
const LIMIT_MS = 60_000;

/**
 * Serves metrics on loopback, behind a real API server: whoever asks that for the APIs of metrics is answered from here.
 * Gives back what ends it.
 */
export async function serveMetrics(client: ClientSet, metrics: MetricsAnswers): Promise<() => Promise<void>> {
  const authority = await CertificateAuthority.create("metrics", realClock);
  const { cert, key } = await authority.issue({ commonName: NAME, hosts: [`${NAME}.${NAMESPACE}.svc`] });
  const server = createServer({ cert, key }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "https://metrics");
    const respond = ({ status = 200, body }: FakeAnswer): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    request.resume();
    metrics.answer(pathname, searchParams).then(respond, (error: unknown) => {
      respond({ status: 500, body: { kind: "Status", status: "Failure", message: String(error) } });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  // Endpoints on loopback are refused, but a name is taken as it is.
  await client.clientFor<Service>(resources.services).create({
    metadata: { namespace: NAMESPACE, name: NAME },
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ port }] },
  });
  const services = client.dynamic(resources.apiServices);
  for (const [group, version] of Object.entries(METRICS_VERSIONS))
    await services.create({
      metadata: { name: `${version}.${group}` },
      spec: {
        group,
        version,
        service: { namespace: NAMESPACE, name: NAME, port },
        caBundle: Buffer.from(authority.cert).toString("base64"),
        insecureSkipTLSVerify: false,
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    } as ApiObject);
  for (const [group, version] of Object.entries(METRICS_VERSIONS))
    await until(
      `${group} is served`,
      async () => {
        const { status } = (await services.get({ name: `${version}.${group}` })) as APIService;
        return hasCondition(status?.conditions, "Available", "True");
      },
      LIMIT_MS,
    );
  return async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
}
