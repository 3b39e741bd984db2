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
import { randomRequest, spoiled } from "../harness/random-certificate-request.ts";
import { until } from "../harness/until.ts";
import { describeWhere } from "../harness/where.ts";

const run = promisify(execFile);
/** COUNT=1000 makes it the whole comparison. */
const COUNT = Number(process.env["COUNT"] ?? 60);
const SIGNERS = ["kube-apiserver-client", "kube-apiserver-client-kubelet", "kubelet-serving"] as const;
const USAGES: readonly (readonly string[])[] = [
  ["client auth"],
  ["digital signature", "client auth"],
  ["digital signature", "key encipherment", "server auth"],
];

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

  async function answers(): Promise<ReadonlyMap<string, CertificateSigningRequest["status"]>> {
    const { items } = await requests.list();
    return new Map(items.map(({ metadata, status }) => [metadata.name, status]));
  }

  const isAnswered = (status: CertificateSigningRequest["status"]): boolean =>
    status?.certificate !== undefined || (status?.conditions?.length ?? 0) > 1;

  /** Lets the program answer all requests, and says how long that took, from its first answer on, and what it computed. */
  async function answered(
    program: Program,
  ): Promise<ReadonlyMap<string, CertificateSigningRequest["status"]>> {
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
    const startMs = realClock.monotonicMs();
    const ofAll = async (): Promise<number> => [...(await answers()).values()].filter(isAnswered).length;
    await until("the first one is answered", async () => (await ofAll()) > 0);
    const firstMs = realClock.monotonicMs();
    await until("all are answered", async () => (await ofAll()) === taken.length, 300_000, 100);
    const tookMs = realClock.monotonicMs() - firstMs;
    const [, ...fields] = readFileSync(`/proc/${daemon.pid}/stat`, "utf8").split(") ");
    const ticks = fields.join(" ").split(" ").slice(11, 13).map(Number);
    const cpuSeconds = ticks.reduce((sum, each) => sum + each, 0) / 100;
    const which = program === ourProgram ? "this program" : "the Go program";
    console.log(
      `${which}: ${taken.length} requests, the first after ${(firstMs - startMs).toFixed(0)} ms, all in ${tookMs.toFixed(0)} ms more, ${cpuSeconds} s of CPU since its start`,
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

  test("are the same, field by field, and so is what is refused", async () => {
    const chance = seededRandom(Number(process.env["SEED"] ?? 1));
    let refused = 0;
    for (let index = 0; index < COUNT; index++) {
      const pick = Math.floor(chance.next() * 3);
      const der =
        index % 10 === 9
          ? randomRequest(chance, (content) => spoiled(content, chance))
          : randomRequest(chance);
      const object: CertificateSigningRequest = {
        metadata: { name: `request-${index}` },
        spec: {
          request: Buffer.from(encodePem("CERTIFICATE REQUEST", der)).toString("base64"),
          signerName: `kubernetes.io/${SIGNERS[index % 4 === 0 ? pick : 0] ?? SIGNERS[0]}`,
          usages: USAGES[index % 5 === 0 ? pick : 1] ?? [],
          ...(pick > 0 && { expirationSeconds: 600 + Math.floor(chance.next() * 100_000) }),
        },
      };
      const made = await ask(object);
      if (made === undefined) refused++;
      else taken.push(made);
    }
    expect(taken.length).toBeGreaterThan(COUNT / 4);
    expect(refused).toBeGreaterThan(0);

    const theirs = await answered(goProgram ?? []);
    await requests.deleteCollection({});
    for (const object of taken) await ask(object);
    const ours = await answered(ourProgram);
    let signed = 0;
    for (const [name, status] of theirs) {
      const our = ours.get(name);
      const types = (of: typeof status) =>
        of?.conditions?.map(({ type, reason, message }) => [type, reason, message]);
      expect(types(our), name).toEqual(types(status));
      if (status?.certificate === undefined) {
        expect(our?.certificate, name).toBeUndefined();
        continue;
      }
      expect(factsOf(our?.certificate), name).toEqual(factsOf(status.certificate));
      signed++;
      if (signed > 20) continue;
      const path = join(cluster.directory, `${name}.crt`);
      await writeFile(path, Buffer.from(our?.certificate ?? "", "base64"));
      const said = await run("openssl", ["verify", "-CAfile", join(cluster.directory, "ca.crt"), path]);
      expect(said.stdout, name).toMatch(/: OK$/m);
    }
    expect(signed).toBeGreaterThan(COUNT / 8);
    console.log(
      `${signed} certificates are the same, ${theirs.size - signed} refusals, ${refused} requests were not taken`,
    );
  });
});
