// Prints the cases of certificate-cases.test-data.ts as JSON, for a Go program to judge: name, verdict, time, and
// certificates in DER (base64). A verdict that is not Go's is a mistake of the table.
import { certificateCases } from "../cmd/kube-controller-manager/server/x509/certificate-cases.test-data.ts";
import { ODD_NOW_MS } from "../test/harness/odd-certificate.ts";

const bytesOf = ({ der }: { readonly der: Buffer }): string => der.toString("base64");
const cases = certificateCases.map(({ name, go, chain, roots }) => ({
  name,
  go,
  chain: chain.map(bytesOf),
  roots: roots.map(bytesOf),
}));
process.stdout.write(`${JSON.stringify({ unixSeconds: ODD_NOW_MS / 1_000, cases })}\n`);
