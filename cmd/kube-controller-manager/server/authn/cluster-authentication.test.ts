import { beforeEach, describe, expect, test } from "vitest";
import { clientSet } from "../../../../pkg/client/client-set.ts";
import { unlimited } from "../../../../pkg/client/limiter.ts";
import { RestMetrics } from "../../../../pkg/client/rest-metrics.ts";
import { RestClient } from "../../../../pkg/client/rest.ts";
import { WarningLog } from "../../../../pkg/client/warnings.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import { seededRandom } from "../../../../pkg/clock/random.ts";
import { CertificateAuthority } from "../../../../pkg/pki/certificate-authority.ts";
import { silentLogger } from "../../../../pkg/log/logger.ts";
import { noMetrics } from "../../../../pkg/metrics/metrics.ts";
import { type FakeAnswer, FakeTransport } from "../../../../test/harness/fake-transport.ts";
import { ClusterAuthentication } from "./cluster-authentication.ts";

const clients = (await CertificateAuthority.create("clients", realClock)).cert;
const proxies = (await CertificateAuthority.create("proxies", realClock)).cert;
const complete = {
  "client-ca-file": clients,
  "requestheader-client-ca-file": proxies,
  "requestheader-allowed-names": '["front-proxy-client"]',
  "requestheader-username-headers": '["X-Remote-User"]',
  "requestheader-uid-headers": "",
  "requestheader-group-headers": "null",
  "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
};

let answer: FakeAnswer = {};
let changes = 0;
const transport = new FakeTransport(() => answer);
const rest = new RestClient({
  transport,
  clock: realClock,
  limiter: unlimited,
  metrics: new RestMetrics(noMetrics, "host"),
  warnings: new WarningLog(silentLogger),
  userAgent: "test",
});
const parts = {
  client: clientSet(rest),
  clock: realClock,
  random: seededRandom(1),
  log: silentLogger,
  metrics: noMetrics,
};
let cluster = new ClusterAuthentication(parts, () => undefined);

beforeEach(() => {
  changes = 0;
  cluster = new ClusterAuthentication(parts, () => void changes++);
});

const configMap = (data: Readonly<Record<string, string>>): FakeAnswer => ({
  body: { apiVersion: "v1", kind: "ConfigMap", metadata: {}, data },
});

describe("the settings that the API server publishes", () => {
  test("are read as a whole, and are new only when they differ", async () => {
    answer = configMap(complete);
    await cluster.load();
    await cluster.load();
    expect(transport.lines.at(-1)).toBe(
      "GET /api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication",
    );
    expect(cluster.clientAuthorities?.pem).toBe(clients);
    expect(cluster.requestHeader).toMatchObject({
      authorities: { pem: proxies },
      allowedNames: ["front-proxy-client"],
      usernameHeaders: ["X-Remote-User"],
      uidHeaders: [],
      groupHeaders: [],
      extraHeaderPrefixes: ["X-Remote-Extra-"],
    });
    expect(changes).toBe(1);
    answer = configMap({ ...complete, "requestheader-allowed-names": "[]" });
    await cluster.load();
    expect(cluster.requestHeader?.allowedNames).toEqual([]);
    expect(changes).toBe(2);
  });

  test("authorities that vanish stay trusted", async () => {
    answer = configMap(complete);
    await cluster.load();
    answer = configMap({ ...complete, "client-ca-file": "", "requestheader-client-ca-file": "" });
    await cluster.load();
    expect(cluster.clientAuthorities?.pem).toBe(clients);
    expect(cluster.requestHeader?.authorities.pem).toBe(proxies);
  });

  test("without authorities of proxies there are no proxies, whatever else is said", async () => {
    answer = configMap({ "requestheader-username-headers": '["X-Remote-User"]' });
    await cluster.load();
    expect(cluster.requestHeader).toBeUndefined();
    expect(cluster.clientAuthorities).toBeUndefined();
  });

  test.each([
    ["requestheader-allowed-names", "[1]", "requestheader-allowed-names is not a list of strings"],
    ["requestheader-username-headers", "X-Remote-User", "JSON"],
    ["client-ca-file", "no certificate", "there is no certificate in PEM form"],
  ])("a broken %s changes nothing", async (key, value, message) => {
    answer = configMap(complete);
    await cluster.load();
    const before = cluster.requestHeader;
    answer = configMap({ ...complete, "requestheader-group-headers": '["X-New"]', [key]: value });
    await expect(cluster.load()).rejects.toThrow(message);
    expect(cluster.requestHeader).toBe(before);
    expect(changes).toBe(1);
  });

  test("that there are none yet is no error, that they may not be read is one", async () => {
    answer = { status: 404, body: { kind: "Status", reason: "NotFound", code: 404 } };
    await cluster.load();
    answer = { status: 403, body: { kind: "Status", reason: "Forbidden", code: 403, message: "no" } };
    await expect(cluster.load()).rejects.toThrow("no");
  });
});
