import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { CertificateSigningRequest } from "../../pkg/api/types/certificates-v1.gen.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import { ApiError } from "../../pkg/client/errors.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { elementsOf, only, SEQUENCE } from "../../pkg/pki/der-reader.ts";
import { decodePem, encodePem } from "../../pkg/pki/pem.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { Daemon, goProgram, ourProgram, type Program } from "../harness/daemon.ts";
import { freePorts, type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { type Chance, randomRequest, spoiled } from "../harness/random-certificate-request.ts";
import { until } from "../harness/until.ts";
import { describeWhere } from "../harness/where.ts";

const run = promisify(execFile);
/** So many requests reach the signers: COUNT=1000 makes it the whole comparison. */
const COUNT = Number(process.env["COUNT"] ?? 40);
/** How often the programs take turns: their times are compared by ROUNDS=3. */
const ROUNDS = Number(process.env["ROUNDS"] ?? 1);
const SIGNERS = ["kube-apiserver-client", "kube-apiserver-client-kubelet", "kubelet-serving"] as const;
const USAGES: readonly (readonly string[])[] = [
  ["client auth"],
  ["digital signature", "client auth"],
  ["digital signature", "key encipherment", "server auth"],
];

type Answers = ReadonlyMap<string, CertificateSigningRequest["status"]>;

function requestOfChance(chance: Chance, index: number): CertificateSigningRequest {
  const pick = Math.floor(chance.next() * 3);
  const isSpoiled = index % 10 === 9;
  const der = randomRequest(chance, (content) => (isSpoiled ? spoiled(content, chance) : content));
  return {
    metadata: { name: `request-${index}` },
    spec: {
      request: Buffer.from(encodePem("CERTIFICATE REQUEST", der)).toString("base64"),
      signerName: `kubernetes.io/${SIGNERS[index % 4 === 0 ? pick : 0] ?? SIGNERS[0]}`,
      usages: USAGES[index % 5 === 0 ? pick : 1] ?? [],
      ...(pick > 0 && { expirationSeconds: 600 + Math.floor(chance.next() * 100_000) }),
    },
  };
}

test("both are asked the same", () => {
  // Signatures differ, and so does their length.
  const der = (): string => randomRequest(seededRandom(1)).subarray(4, 60).toString("hex");
  expect(der()).toBe(der());
});

describeWhere(goProgram !== undefined)("certificates of the Go program and of this one", () => {
  let cluster: RealCluster;
  let clients: ClientBuilder;
  let requests: ResourceClient<CertificateSigningRequest>;
  const taken: CertificateSigningRequest[] = [];
  beforeAll(async () => {
    cluster = await startRealCluster();
    clients = await clientsOf(cluster.kubeconfig);
    requests = clients.client("test").clientFor(resources.certificateSigningRequests);
  });
  afterAll(async () => {
    await clients?.close();
    await cluster?.stop();
  });

  /** Of a random request, good or not so good; undefined where the API server refuses it. */
  async function ask(object: CertificateSigningRequest): Promise<CertificateSigningRequest | undefined> {
    try {
      const made = await requests.create(object);
      const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "by a test" }];
      await requests.updateSubresource({ name: made.metadata.name }, "approval", {
        ...made,
        status: { conditions },
      });
      return object;
    } catch (error) {
      if (error instanceof ApiError && [403, 422].includes(error.code)) return undefined;
      throw error;
    }
  }

  async function answers(): Promise<Answers> {
    const { items } = await requests.list();
    return new Map(items.map(({ metadata, status }) => [metadata.name, status]));
  }

  const isAnswered = (status: CertificateSigningRequest["status"]): boolean =>
    status?.certificate !== undefined || (status?.conditions?.length ?? 0) > 1;

  /** Lets the program answer all requests, and says how long that took, from its first answer on, and what it computed. */
  async function answered(program: Program): Promise<Answers> {
    const [port = 0] = await freePorts(1);
    const file = (name: string): string => join(cluster.directory, name);
    const daemon = new Daemon(program, [
      `--kubeconfig=${cluster.kubeconfig}`,
      `--authentication-kubeconfig=${cluster.kubeconfig}`,
      `--authorization-kubeconfig=${cluster.kubeconfig}`,
      "--authentication-skip-lookup",
      "--leader-elect=false",
      "--controllers=csrsigning",
      "--kube-api-qps=1000",
      "--kube-api-burst=1000",
      `--secure-port=${port}`,
      `--cluster-signing-cert-file=${file("ca.crt")}`,
      `--cluster-signing-key-file=${file("ca.key")}`,
    ]);
    const cpuSeconds = (): number => {
      const [, ...fields] = readFileSync(`/proc/${daemon.pid}/stat`, "utf8").split(") ");
      const ticks = fields.join(" ").split(" ").slice(11, 13).map(Number);
      return ticks.reduce((sum, each) => sum + each, 0) / 100;
    };
    const startMs = realClock.monotonicMs();
    const ofAll = async (): Promise<number> => [...(await answers()).values()].filter(isAnswered).length;
    await until("the first one is answered", async () => (await ofAll()) > 0);
    const firstMs = realClock.monotonicMs();
    const cpuOfStart = cpuSeconds();
    await until("all are answered", async () => (await ofAll()) === taken.length, 300_000, 100);
    const tookMs = realClock.monotonicMs() - firstMs;
    const which = program === ourProgram ? "this program" : "the Go program";
    console.log(
      `${which}: ${taken.length} requests, the first after ${(firstMs - startMs).toFixed(0)} ms, all in ${tookMs.toFixed(0)} ms more; ${cpuSeconds().toFixed(2)} s of CPU, of them ${cpuOfStart.toFixed(2)} s up to the first`,
    );
    const found = await answers();
    await daemon.end("SIGTERM");
    return found;
  }

  /** All of a certificate but its number, and its times but for the span between them. */
  function factsOf(base64: string | undefined): unknown {
    const block = decodePem(Buffer.from(base64 ?? "", "base64").toString("latin1"));
    const [content, ...signed] = elementsOf(only(block?.bytes ?? Buffer.alloc(0), SEQUENCE).content);
    const [version, , ...rest] = elementsOf(content?.content ?? Buffer.alloc(0));
    const [from, to] = elementsOf(rest[2]?.content ?? Buffer.alloc(0)).map((time) => {
      const [year, ...others] = (time.content.toString().match(/\d\d/g) ?? []).map(Number);
      return Date.UTC(2000 + (year ?? 0), (others[0] ?? 1) - 1, ...(others.slice(1) as [number]));
    });
    return {
      parts: [version, rest[0], rest[1], ...rest.slice(3)].map((part) => part?.raw.toString("hex")),
      span: (to ?? 0) - (from ?? 0),
      algorithm: signed[0]?.raw.toString("hex"),
    };
  }

  async function askAgain(): Promise<void> {
    await requests.deleteCollection({});
    for (const object of taken) await ask(object);
  }

  /** The names of those that both have signed. */
  function compare(theirs: Answers, ours: Answers): readonly string[] {
    const said = (status: CertificateSigningRequest["status"]) =>
      status?.conditions?.map(({ type, reason, message }) => [type, reason, message]);
    for (const [name, status] of theirs) {
      const our = ours.get(name);
      expect(said(our), name).toEqual(said(status));
      if (status?.certificate === undefined) expect(our?.certificate, name).toBeUndefined();
      else expect(factsOf(our?.certificate), name).toEqual(factsOf(status.certificate));
    }
    return [...theirs].filter(([, status]) => status?.certificate !== undefined).map(([name]) => name);
  }

  /** OpenSSL accepts every certificate. */
  async function verifyAll(
    certificates: readonly (readonly [name: string, base64: string])[],
  ): Promise<void> {
    const paths: string[] = [];
    for (const [name, base64] of certificates) {
      const path = join(cluster.directory, `${name}.crt`);
      await writeFile(path, Buffer.from(base64, "base64"));
      paths.push(path);
    }
    const { stdout } = await run("openssl", [
      "verify",
      "-CAfile",
      join(cluster.directory, "ca.crt"),
      ...paths,
    ]);
    expect(stdout.match(/: OK$/gm)).toHaveLength(paths.length);
  }

  test("are the same, field by field, and so is what is refused", async () => {
    const chance = seededRandom(Number(process.env["SEED"] ?? 1));
    let refused = 0;
    while (taken.length < COUNT) {
      const made = await ask(requestOfChance(chance, taken.length + refused));
      if (made === undefined) refused++;
      else taken.push(made);
    }
    expect(refused).toBeGreaterThan(0);

    for (let round = 1; round <= ROUNDS; round++) {
      if (round > 1) await askAgain();
      const theirs = await answered(goProgram ?? []);
      await askAgain();
      const ours = await answered(ourProgram);
      const signed = compare(theirs, ours);
      expect(signed.length).toBeGreaterThan(COUNT / 4);
      await verifyAll(signed.map((name) => [name, ours.get(name)?.certificate ?? ""]));
      console.log(
        `${signed.length} certificates are the same, ${theirs.size - signed.length} refusals, ${refused} requests were not taken`,
      );
    }
  });
});
