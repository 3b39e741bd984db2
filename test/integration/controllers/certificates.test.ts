import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { csrApprovingController } from "../../../controllers/certificates/approving/controller.ts";
import { podCertificateRequestCleanerController } from "../../../controllers/certificates/pod-request-cleaner/controller.ts";
import { csrSigningController } from "../../../controllers/certificates/signing/controller.ts";
import { trustBundlePublisherController } from "../../../controllers/certificates/trust-bundle/controller.ts";
import { authorityFiles } from "../../../cmd/kube-controller-manager/authority-files.ts";
import { signerNames } from "../../../pkg/api/certificate-requests.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { CertificateSigningRequest } from "../../../pkg/api/types/certificates-v1.gen.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { isForbidden } from "../../../pkg/client/errors.ts";
import type { Clock } from "../../../pkg/clock/clock.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import { inOtherThreads } from "../../../pkg/pki/signatures.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import { serverMinor } from "../../harness/real-programs.ts";
import { testWhere } from "../../harness/where.ts";
import { kubeletRequest, requestDer, signingRequest } from "../../harness/certificate-requests.ts";
import { authorityPair, signingFiles } from "../../harness/signing-files.ts";
import { TestSpace } from "../../harness/test-space.ts";
import { until } from "../../harness/until.ts";

const HOUR_MS = 3_600_000;
const FLAGS = [
  "--feature-gates=ClusterTrustBundle=true,PodCertificateRequest=true",
  "--runtime-config=certificates.k8s.io/v1beta1=true",
];
const pair = authorityPair({ nowMs: realClock.nowMs(), commonName: "cluster-ca" });
const authority = signingFiles(pair);
afterAll(() => authority.remove());

/** Whatever gates are off. */
const always = (descriptor: ControllerDescriptor): ControllerDescriptor => ({
  ...descriptor,
  featureGates: [],
});

describe.each(accountClusterKinds)("certificates on the $name API server", ({ name, start }) => {
  let cluster: AccountCluster;
  let admin: ClientSet;
  const { certificateSigningRequests, clusterTrustBundles, podCertificateRequests } = resources;
  beforeAll(async () => {
    const files = authorityFiles(authority.certFile, authority.keyFile);
    const signers = Object.values(signerNames).map((signerName) => ({ signerName, files }));
    cluster = await start(
      () => [
        csrSigningController({ signers, durationMs: 24 * HOUR_MS, signatures: inOtherThreads }),
        csrApprovingController(),
        always(trustBundlePublisherController({ rootCa: () => pair.cert })),
      ],
      FLAGS,
    );
    admin = cluster.client;
  });
  afterAll(async () => cluster?.stop());

  const read = async (name: string): Promise<CertificateSigningRequest> =>
    admin.clientFor(certificateSigningRequests).get({ name });

  async function issued(name: string): Promise<X509Certificate> {
    await until(`${name} is signed`, async () => (await read(name)).status?.certificate !== undefined);
    return new X509Certificate(Buffer.from((await read(name)).status?.certificate ?? "", "base64"));
  }

  async function approve(name: string): Promise<void> {
    const request = await read(name);
    const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "by a test" }];
    const status = { ...request.status, conditions };
    await admin
      .clientFor(certificateSigningRequests)
      .updateSubresource({ name }, "approval", { ...request, status });
  }

  /** The token of a service account of its own, bound to these roles of the cluster. */
  async function tokenOf(name: string, ...roles: readonly string[]): Promise<string> {
    const space = new TestSpace(admin, "default");
    await space.create(resources.serviceAccounts, { metadata: { name } });
    for (const role of ["system:node-bootstrapper", ...roles]) {
      await admin.clientFor(resources.clusterRoleBindings).create({
        metadata: { name: `${name}-${role.replaceAll(":", "-")}` },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
        subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
      });
    }
    const { status } = await admin
      .clientFor(resources.serviceAccounts)
      .createSubresource<{ status: { token: string } }>({ namespace: "default", name }, "token", {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        metadata: {},
        spec: { audiences: [] },
      });
    return status.token;
  }

  async function joiner(name: string, ...roles: readonly string[]): Promise<ClientSet> {
    const client = cluster.clientWith(await tokenOf(name, ...roles));
    await until(`${name} may make requests`, async () => {
      try {
        await client.clientFor(certificateSigningRequests).list();
        return true;
      } catch {
        // Roles are heard of a moment later.
        return false;
      }
    });
    return client;
  }

  // upstream: test/integration/certificates/controller_approval_test.go#TestController_AutoApproval
  describe("a request of a kubelet", () => {
    const nodeClient = "system:certificates.k8s.io:certificatesigningrequests:nodeclient";

    test("is approved and signed for who may make such requests", async () => {
      const client = await joiner("joins", nodeClient);
      await client.clientFor(certificateSigningRequests).create(kubeletRequest("joins"));
      const certificate = await issued("csr-joins");
      expect(certificate.subject).toBe("O=system:nodes\nCN=system:node:joins");
      expect(certificate.checkIssued(new X509Certificate(pair.cert))).toBe(true);
      const [condition] = (await read("csr-joins")).status?.conditions ?? [];
      expect(condition).toMatchObject({
        type: "Approved",
        reason: "AutoApproved",
        message: "Auto approving kubelet client certificate after SubjectAccessReview.",
      });
    });

    test("is approved for a node that asks for itself", async () => {
      const user = "system:node:itself";
      const role = "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient";
      await admin.clientFor(resources.clusterRoleBindings).create({
        metadata: { name: "itself" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
        subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: user }],
      });
      await admin.clientFor(resources.clusterRoleBindings).create({
        metadata: { name: "itself-asks" },
        roleRef: {
          apiGroup: "rbac.authorization.k8s.io",
          kind: "ClusterRole",
          name: "system:node-bootstrapper",
        },
        subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: user }],
      });
      const token = await tokenOf("anybody", "cluster-admin");
      const requests = cluster.clientWith(token, user).clientFor(certificateSigningRequests);
      await until("it may make requests", async () => {
        try {
          await requests.create(kubeletRequest("itself"));
          return true;
        } catch (error) {
          if (isForbidden(error)) return false;
          throw error;
        }
      });
      await issued("csr-itself");
      const { spec, status } = await read("csr-itself");
      expect(spec.username).toBe(user);
      expect(status?.conditions?.[0]?.message).toBe(
        "Auto approving self kubelet client certificate after SubjectAccessReview.",
      );
    });

    test("waits where that is not allowed, and is approved when it is", async () => {
      const client = await joiner("waits");
      await client.clientFor(certificateSigningRequests).create(kubeletRequest("waits"));
      const other = await joiner("other-joins", nodeClient);
      await other.clientFor(certificateSigningRequests).create(kubeletRequest("other-joins"));
      await issued("csr-other-joins");
      expect((await read("csr-waits")).status?.conditions).toBeUndefined();
      await admin.clientFor(resources.clusterRoleBindings).create({
        metadata: { name: "waits-no-more" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: nodeClient },
        subjects: [{ kind: "ServiceAccount", name: "waits", namespace: "default" }],
      });
      await issued("csr-waits");
    });

    test("to another signer is nobody's to approve but people's", async () => {
      const client = await joiner("client", nodeClient);
      const signerName = signerNames.apiServerClient;
      await client.clientFor(certificateSigningRequests).create(kubeletRequest("client", { signerName }));
      const later = await joiner("later", nodeClient);
      await later.clientFor(certificateSigningRequests).create(kubeletRequest("later"));
      await issued("csr-later");
      expect((await read("csr-client")).status?.conditions).toBeUndefined();
    });
  });

  // upstream: test/integration/certificates/duration_test.go#TestCSRDuration
  test.each<[string, number | undefined, number]>([
    ["no duration set", undefined, 24 * HOUR_MS],
    ["same duration set as certTTL", 24 * 3_600, 24 * HOUR_MS],
    ["longer duration than certTTL", 48 * 3_600, 24 * HOUR_MS],
    ["slightly shorter duration set", 20 * 3_600, 20 * HOUR_MS],
    ["even shorter duration set", 10 * 3_600, 10 * HOUR_MS],
    ["short duration set", 2 * 3_600, 2 * HOUR_MS + 300_000],
    ["very short duration set", 1_800, 2_100_000],
    ["shortest duration set", 600, 900_000],
  ])("a certificate lives as long as it should: %s", async (what, expirationSeconds, lifeMs) => {
    const name = what.replaceAll(" ", "-").toLowerCase();
    const request = signingRequest({
      name,
      signerName: signerNames.apiServerClient,
      usages: ["client auth"],
      ...(expirationSeconds !== undefined && { expirationSeconds }),
    });
    await admin.clientFor(certificateSigningRequests).create(request);
    await approve(name);
    const { validFromDate, validToDate } = await issued(name);
    expect(validToDate.getTime() - validFromDate.getTime()).toBe(lifeMs);
  });

  test("a request that its signer does not sign has failed, and says why", async () => {
    const request = signingRequest({
      name: "fails",
      signerName: signerNames.kubeletServing,
      usages: ["server auth"],
    });
    await admin.clientFor(certificateSigningRequests).create(request);
    await approve("fails");
    await until("it has failed", async () => (await read("fails")).status?.conditions?.length === 2);
    const { status } = await read("fails");
    expect(status?.certificate).toBeUndefined();
    expect(status?.conditions?.[1]).toMatchObject({
      type: "Failed",
      reason: "SignerValidationFailure",
      message: "subject organization is not system:nodes",
    });
  });

  test.each([
    ["rsa", generateKeyPairSync("rsa", { modulusLength: 2_048 })],
    ["p384", generateKeyPairSync("ec", { namedCurve: "P-384" })],
    ["ed25519", generateKeyPairSync("ed25519")],
  ])("a key of %s is certified", async (name, key) => {
    const wanted = {
      signerName: signerNames.apiServerClient,
      usages: ["client auth"],
      commonName: "jane",
      key,
    };
    await admin
      .clientFor(certificateSigningRequests)
      .create(signingRequest({ name: `key-${name}`, ...wanted }));
    await approve(`key-${name}`);
    expect((await issued(`key-${name}`)).publicKey.equals(key.publicKey)).toBe(true);
  });

  // upstream: test/integration/clustertrustbundles/apiserversigner_test.go#TestClusterTrustBundlesPublisherController
  test("the certificates of the API server are published as the one bundle of its signer", async () => {
    const client = admin.clientFor(clusterTrustBundles);
    const signerName = "kubernetes.io/kube-apiserver-serving";
    const others = {
      metadata: { name: "test.test:unrelated:1" },
      spec: { signerName: "test.test/unrelated", trustBundle: pair.cert },
    };
    await client.create(others);
    const ofSigner = async () =>
      (await client.list({ fieldSelector: `spec.signerName=${signerName}` })).items;
    await until("it is published", async () => (await ofSigner()).length === 1);
    const additional = "kubernetes.io:kube-apiserver-serving:additional";
    await client.create({ metadata: { name: additional }, spec: { signerName, trustBundle: pair.cert } });
    await until("the other one is gone", async () =>
      (await ofSigner()).every(({ metadata }) => metadata.name !== additional),
    );
    const [published] = await ofSigner();
    if (published === undefined) throw new Error("there is none");
    const trustBundle = authorityPair({ nowMs: realClock.nowMs() }).cert;
    await client.update({ ...published, spec: { ...published.spec, trustBundle } });
    await until("it is as before", async () => (await ofSigner())[0]?.spec.trustBundle === pair.cert);
    expect((await client.get({ name: others.metadata.name })).spec).toEqual(others.spec);
  });

  // upstream: test/integration/podcertificaterequests/podcertificate_integration_test.go#TestCleanerController
  testWhere(serverMinor(name) >= 36)("requests for certificates of pods go when they are old", async () => {
    const space = await cluster.space();
    await space.create(podCertificateRequests, {
      metadata: { name: "old" },
      spec: {
        signerName: "foo.com/abc",
        podName: "pod-1",
        podUID: "pod-uid-1",
        serviceAccountName: "sa-1",
        serviceAccountUID: "sa-uid-1",
        nodeName: "node-1",
        nodeUID: "node-uid-1",
        maxExpirationSeconds: 86_400,
        stubPKCS10Request: requestDer({}).toString("base64"),
      },
    });
    const later: Clock = { ...realClock, nowMs: () => realClock.nowMs() + HOUR_MS };
    const stop = cluster.run([always(podCertificateRequestCleanerController())], later);
    await until("it is gone", async () => (await space.find(podCertificateRequests, "old")) === undefined);
    await stop();
  });
});
