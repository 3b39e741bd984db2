import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authorityFiles } from "../../../cmd/kube-controller-manager/authority-files.ts";
import { csrSigningController } from "../../../controllers/certificates/signing/controller.ts";
import { signerNames } from "../../../pkg/api/certificate-requests.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { inOtherThreads } from "../../../pkg/pki/signatures.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import { signingRequest } from "../../harness/certificate-requests.ts";
import { HurriedClock } from "../../harness/hurried-clock.ts";
import { authorityPair, signingFiles } from "../../harness/signing-files.ts";
import { until } from "../../harness/until.ts";

const { certificateSigningRequests } = resources;
const signerName = signerNames.apiServerClient;
/** Files are looked at every quarter of a second. */
const HURRY = 40;
const ROUND_MS = 10_000 / HURRY;
const PARTS = 4;

describe.each(accountClusterKinds)("an authority that is replaced on the $name API server", ({ start }) => {
  const first = authorityPair({ nowMs: realClock.nowMs(), commonName: "first" });
  const next = authorityPair({ nowMs: realClock.nowMs(), commonName: "next", key: "rsa" });
  const pair = signingFiles(first);
  let cluster: AccountCluster;
  beforeAll(async () => {
    cluster = await start(() => []);
    const files = authorityFiles(pair.certFile, pair.keyFile);
    const settings = { signers: [{ signerName, files }], durationMs: 86_400_000, signatures: inOtherThreads };
    cluster.run([csrSigningController(settings)], new HurriedClock(realClock, HURRY));
  });
  afterAll(async () => {
    await cluster?.stop();
    pair.remove();
  });

  let made = 0;
  /** Makes an approved request, and gives its name. */
  async function ask(): Promise<string> {
    const name = `request-${made++}`;
    const client = cluster.client.clientFor(certificateSigningRequests);
    const request = await client.create(signingRequest({ name, signerName, usages: ["client auth"] }));
    const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "by a test" }];
    await client.updateSubresource({ name }, "approval", { ...request, status: { conditions } });
    return name;
  }

  /** Some in each part of a round: as many as a server takes would keep the controller busy for minutes. */
  async function askFor(rounds: number): Promise<readonly string[]> {
    const names: string[] = [];
    for (let part = 0; part < rounds * PARTS; part++) {
      const [asked] = await Promise.all([
        Promise.all([ask(), ask(), ask()]),
        sleep(realClock, ROUND_MS / PARTS),
      ]);
      names.push(...asked);
    }
    return names;
  }

  async function signerOf(name: string): Promise<"first" | "next" | "nobody"> {
    let text = "";
    await until(`${name} is signed`, async () => {
      const { status } = await cluster.client.clientFor(certificateSigningRequests).get({ name });
      text = status?.certificate ?? "";
      return text !== "";
    });
    const certificate = new X509Certificate(Buffer.from(text, "base64"));
    const isOf = ({ cert }: { readonly cert: string }): boolean => {
      const authority = new X509Certificate(cert);
      return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
    };
    if (isOf(first)) return "first";
    return isOf(next) ? "next" : "nobody";
  }

  test("half by half signs with the one or the other, and loses no request", async () => {
    const before = await askFor(2);
    pair.write({ cert: next.cert.slice(0, 200) });
    const torn = await askFor(3);
    pair.write({ cert: next.cert });
    const half = await askFor(3);
    pair.write({ key: next.key.slice(0, 300) });
    const almost = await askFor(3);
    const signers = async (names: readonly string[]): Promise<readonly string[]> => [
      ...new Set(await Promise.all(names.map(signerOf))),
    ];
    expect(await signers([...before, ...torn, ...half, ...almost])).toEqual(["first"]);
    const asking = askFor(6);
    pair.write({ key: next.key });
    const meanwhile = await signers(await asking);
    expect(meanwhile).not.toContain("nobody");
    await until("the next one signs", async () => (await signerOf(await ask())) === "next");
    expect(await signers([await ask(), await ask()])).toEqual(["next"]);
    expect(made).toBeGreaterThan(30);
  });
});
