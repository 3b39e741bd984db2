// Writes pkg/pki/recorded-requests.json.br: requests for certificates, good ones and bad ones, and what Go makes of them.
// `--compare` writes nothing: it asks Go about COUNT other requests of SEED, and tells where this project says otherwise.
// Needs Go; see print-certificate-verdicts.go.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { seededRandom } from "../pkg/clock/random.ts";
import { realClock } from "../pkg/clock/real.ts";
import { sameVerdict, verdictOf } from "../test/harness/certificate-verdict.ts";
import { authorityPair } from "../test/harness/signing-files.ts";
import { randomRequest, spoiled } from "../test/harness/random-certificate-request.ts";

const isComparison = process.argv.includes("--compare");
const count = Number(process.env["COUNT"] ?? (isComparison ? 1_000 : 300));
const chance = seededRandom(Number(process.env["SEED"] ?? 1));

function request(index: number): Buffer {
  switch (index % 6) {
    case 0:
      return spoiled(randomRequest(chance), chance);
    case 1:
    case 2:
      return randomRequest(chance, (content) => spoiled(content, chance));
    default:
      return randomRequest(chance);
  }
}

const requests = Array.from({ length: count }, (_, index) => request(index).toString("base64"));
const { stdout, stderr, status } = spawnSync(
  "go",
  ["run", join(import.meta.dirname, "print-certificate-verdicts.go")],
  {
    input: `${requests.join("\n")}\n`,
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  },
);
if (status !== 0) throw new Error(stderr);
const verdicts = stdout.trimEnd().split("\n");

if (isComparison) {
  const pair = authorityPair({ nowMs: realClock.nowMs() });
  let differences = 0;
  for (const [index, der] of requests.entries()) {
    const theirs = verdicts[index] ?? "";
    const ours = await verdictOf(Buffer.from(der, "base64"), pair);
    if (sameVerdict(ours, theirs)) continue;
    differences++;
    console.log(JSON.stringify({ der, ours, theirs }));
  }
  console.log(`${count} requests, ${differences} differences`);
} else {
  const text = JSON.stringify({ requests, verdicts });
  writeFileSync(join(import.meta.dirname, "../pkg/pki/recorded-requests.json.br"), brotliCompressSync(text));
}
