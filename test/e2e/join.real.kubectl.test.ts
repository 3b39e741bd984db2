import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Daemon, ourProgram } from "../harness/daemon.ts";
import { kubeadmFlags, MANAGER_USER } from "../harness/kubeadm-flags.ts";
import { freePorts, type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { until } from "../harness/until.ts";

const program = process.env["KUBECTL"] ?? "kubectl";
const run = promisify(execFile);
const TOKEN = "abcdef.0123456789abcdef";
const JOINERS = "system:bootstrappers:kubeadm:default-node-token";
const CLIENT = ["digital signature", "client auth"];

// upstream: cmd/kubeadm/app/phases/bootstraptoken/node/tlsbootstrap.go
const bindings = [
  ["kubeadm:kubelet-bootstrap", "system:node-bootstrapper", JOINERS],
  [
    "kubeadm:node-autoapprove-bootstrap",
    "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
    JOINERS,
  ],
  [
    "kubeadm:node-autoapprove-certificate-rotation",
    "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
    "system:nodes",
  ],
] as const;

describe("a node joins a cluster whose controllers are ours", () => {
  let cluster: RealCluster;
  let daemon: Daemon;
  beforeAll(async () => {
    cluster = await startRealCluster({
      apiServerFlags: ["--enable-bootstrap-token-auth=true", "--authorization-mode=Node"],
    });
    const kubeconfig = await cluster.kubeconfigFor(MANAGER_USER);
    const [port = 0] = await freePorts(1);
    daemon = new Daemon(ourProgram, kubeadmFlags(cluster, kubeconfig, port));
    await admin(
      "create",
      "secret",
      "generic",
      "bootstrap-token-abcdef",
      "-n=kube-system",
      "--type=bootstrap.kubernetes.io/token",
      "--from-literal=token-id=abcdef",
      "--from-literal=token-secret=0123456789abcdef",
      "--from-literal=usage-bootstrap-authentication=true",
      "--from-literal=usage-bootstrap-signing=true",
      `--from-literal=auth-extra-groups=${JOINERS}`,
    );
    for (const [name, role, group] of bindings)
      await admin("create", "clusterrolebinding", name, `--clusterrole=${role}`, `--group=${group}`);
  });
  afterAll(async () => {
    await daemon?.end("SIGTERM");
    await cluster?.stop();
  });

  const file = (name: string): string => join(cluster.directory, name);
  async function kubectl(credentials: readonly string[], ...args: string[]): Promise<string> {
    const server = [
      `--server=${cluster.url}`,
      `--certificate-authority=${file("ca.crt")}`,
      "--kubeconfig=/dev/null",
    ];
    return (await run(program, [...server, ...credentials, ...args])).stdout.trim();
  }
  const admin = async (...args: string[]): Promise<string> =>
    (await run(program, [`--kubeconfig=${cluster.kubeconfig}`, ...args])).stdout.trim();
  const openssl = async (...args: string[]): Promise<string> => (await run("openssl", args)).stdout.trim();
  const certified = (name: string): readonly string[] => [
    `--client-certificate=${file(`${name}.crt`)}`,
    `--client-key=${file(`${name}.key`)}`,
  ];

  /** As a kubelet does it: a key of its own, and a request for a certificate of it. */
  async function ask(
    name: string,
    credentials: readonly string[],
    wanted: { signer: string; usages: readonly string[]; names?: string },
  ): Promise<void> {
    const names = wanted.names === undefined ? [] : ["-addext", `subjectAltName=${wanted.names}`];
    await openssl(
      "genpkey",
      "-algorithm",
      "EC",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-out",
      file(`${name}.key`),
    );
    await openssl(
      "req",
      "-new",
      "-key",
      file(`${name}.key`),
      "-subj",
      "/O=system:nodes/CN=system:node:worker-1",
      ...names,
      "-out",
      file(`${name}.csr`),
    );
    const request = (await readFile(file(`${name}.csr`))).toString("base64");
    const spec = {
      request,
      signerName: `kubernetes.io/${wanted.signer}`,
      usages: wanted.usages,
      expirationSeconds: 3_600,
    };
    const manifest = {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name },
      spec,
    };
    await writeFile(file(`${name}.json`), JSON.stringify(manifest));
    await kubectl(credentials, "create", "-f", file(`${name}.json`));
  }

  async function receive(name: string, credentials: readonly string[]): Promise<void> {
    let text = "";
    await until(`${name} is signed`, async () => {
      text = await kubectl(credentials, "get", "csr", name, "-o=jsonpath={.status.certificate}");
      return text !== "";
    });
    await writeFile(file(`${name}.crt`), Buffer.from(text, "base64"));
  }

  const kubelet = { signer: "kube-apiserver-client-kubelet", usages: CLIENT };

  test("with a token, then with its certificate, and with a new one when that runs out", async () => {
    const token = [`--token=${TOKEN}`];
    await ask("first", token, kubelet);
    await receive("first", token);
    expect(await openssl("verify", "-CAfile", file("ca.crt"), file("first.crt"))).toMatch(/: OK$/);
    expect(await openssl("x509", "-noout", "-subject", "-in", file("first.crt"))).toBe(
      "subject=O = system:nodes, CN = system:node:worker-1",
    );
    const whoami = async (name: string): Promise<unknown> =>
      JSON.parse(await kubectl(certified(name), "auth", "whoami", "-o=json"));
    const user = { username: "system:node:worker-1", groups: ["system:nodes", "system:authenticated"] };
    expect(await whoami("first")).toMatchObject({ status: { userInfo: user } });
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "worker-1" } };
    await writeFile(file("node.json"), JSON.stringify(node));
    await kubectl(certified("first"), "create", "-f", file("node.json"));

    await ask("second", certified("first"), kubelet);
    await receive("second", certified("first"));
    expect(await whoami("second")).toMatchObject({ status: { userInfo: user } });
    const [firstMessage, secondMessage] = await Promise.all(
      ["first", "second"].map(async (name) =>
        admin("get", "csr", name, "-o=jsonpath={.status.conditions[0].message}"),
      ),
    );
    expect(firstMessage).toBe("Auto approving kubelet client certificate after SubjectAccessReview.");
    expect(secondMessage).toBe("Auto approving self kubelet client certificate after SubjectAccessReview.");
    await kubectl(certified("second"), "get", "node", "worker-1");
  });

  test("and serves with a certificate that people approve, and with none that they deny", async () => {
    const serving = {
      signer: "kubelet-serving",
      usages: ["digital signature", "server auth"],
      names: "DNS:worker-1,IP:10.0.0.1",
    };
    await ask("serving", certified("second"), serving);
    await ask("denied", certified("second"), serving);
    await ask("third", certified("second"), kubelet);
    await receive("third", certified("second"));
    expect(await admin("get", "csr", "serving", "-o=jsonpath={.status}")).toBe("{}");
    await admin("certificate", "approve", "serving");
    await admin("certificate", "deny", "denied");
    await receive("serving", certified("second"));
    const shown = await openssl(
      "x509",
      "-noout",
      "-ext",
      "subjectAltName,extendedKeyUsage",
      "-in",
      file("serving.crt"),
    );
    expect(shown).toContain("DNS:worker-1, IP Address:10.0.0.1");
    expect(shown).toContain("TLS Web Server Authentication");
    expect(await admin("get", "csr", "denied", "-o=jsonpath={.status.certificate}")).toBe("");
    expect(await admin("get", "csr", "serving", "--no-headers")).toMatch(/Approved,Issued$/);
  });
});
