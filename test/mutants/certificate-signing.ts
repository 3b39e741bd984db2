import { type Mutant, mutantsOf } from "./mutant.ts";

const signing = "controllers/certificates/signing";
const daemon = "cmd/kube-controller-manager";

const sign = mutantsOf("csrsigning", [`${signing}/sync.test.ts`, `${signing}/permitted.test.ts`]);
const trouble = mutantsOf("csrsigning", ["controllers/certificates/troubles.test.ts"]);
const signTable = mutantsOf("csrsigning", [`${signing}/validity.test.ts`, `${signing}/key-usages.test.ts`]);
const files = mutantsOf("csrsigning", [`${daemon}/authority-files.test.ts`]);
const wiring = mutantsOf("csrsigning", [`${daemon}/wiring.test.ts`]);
const request = mutantsOf("certificate requests", [
  "pkg/pki/certificate-request.test.ts",
  "pkg/pki/certificate-fuzz.test.ts",
]);

const rotation = mutantsOf("csrsigning", ["test/integration/controllers/certificate-rotation.test.ts"]);

export const certificateSigningMutants: readonly Mutant[] = [
  rotation(
    "an authority of which one half is written signs",
    "pkg/pki/signing-authority.ts",
    "if (!certificate.checkPrivateKey(privateKey))",
    'if (!certificate.checkPrivateKey(privateKey) && cert === "")',
  ),
  // Decisions of the signers.
  sign(
    "a request that nobody has approved is signed",
    `${signing}/permitted.ts`,
    "isApproved(conditions) &&",
    "",
  ),
  sign("a request that has failed is signed", `${signing}/permitted.ts`, "!hasFailed(conditions)", "true"),
  sign("a certificate is replaced", `${signing}/permitted.ts`, 'certificate === "" &&', ""),
  sign("signers sign for each other", `${signing}/permitted.ts`, "spec.signerName === signerName &&", ""),
  trouble(
    "whoever has the name is signed",
    `${signing}/sync.ts`,
    "{ ...owner, status: { ...owner.status, ...changed } }",
    "{ ...owner, metadata: { name: owner.metadata.name }, status: { ...owner.status, ...changed } }",
  ),
  sign(
    "clients may be servers",
    `${signing}/permitted.ts`,
    "if (other !== undefined) return",
    'if (other === "any") return',
  ),
  sign(
    "kubelets that serve are taken for clients",
    `${signing}/permitted.ts`,
    "return kubeletServingProblem(request, usages);",
    "return kubeletClientProblem(request, usages);",
  ),
  sign("a refusal is no failure", `${signing}/sync.ts`, 'type: "Failed",', 'type: "Refused",'),
  sign("a failure has no time", `${signing}/sync.ts`, "lastUpdateTime: now,", ""),
  sign(
    "a failure takes the approval away",
    `${signing}/sync.ts`,
    "conditions: [...conditions, failed]",
    "conditions: [failed]",
  ),
  signTable(
    "certificates are not backdated",
    `${signing}/validity.ts`,
    "const BACKDATE_MS = 5 * MINUTE_MS;",
    "const BACKDATE_MS = 0;",
  ),
  signTable(
    "short certificates end early",
    `${signing}/validity.ts`,
    "const SHORT_MS = 8 * 60 * MINUTE_MS;",
    "const SHORT_MS = 0;",
  ),
  signTable(
    "certificates outlive their signer",
    `${signing}/validity.ts`,
    "Math.min(endMs, signerNotAfterMs)",
    "endMs",
  ),
  signTable(
    "an expired signer signs",
    `${signing}/validity.ts`,
    "if (nowMs >= signerNotAfterMs)",
    "if (nowMs > signerNotAfterMs)",
  ),
  signTable(
    "seconds are milliseconds",
    `${signing}/validity.ts`,
    "expirationSeconds * 1_000",
    "expirationSeconds",
  ),
  signTable(
    "any time may be asked for",
    `${signing}/validity.ts`,
    "if (wantedMs > mostMs) return mostMs;",
    "",
  ),
  signTable(
    "usages that mean nothing are left out",
    `${signing}/key-usages.ts`,
    "if (unknown.length > 0)",
    "if (unknown.length > 9)",
  ),
  signTable(
    "purposes stand as they were asked for",
    `${signing}/key-usages.ts`,
    "names.some((name) => usages.includes(name))",
    "names.every((name) => usages.includes(name))",
  ),
  // Wiring of the signers.
  sign(
    "the signature of a request is not checked",
    `${signing}/sync.ts`,
    "await checkSignature(request, context);",
    "",
  ),
  sign(
    "what cannot be read is tried again for ever",
    `${signing}/sync.ts`,
    "throw new PermanentError(`unable to parse csr ${JSON.stringify(owner.metadata.name)}`, error);",
    "throw new Error(`unable to parse csr ${JSON.stringify(owner.metadata.name)}`, { cause: error });",
  ),
  sign(
    "an expired authority is given up for good",
    `${signing}/sync.ts`,
    "throw new Error(`error auto signing csr: ${validity}`);",
    "throw new PermanentError(validity);",
  ),
  sign(
    "the duration asked for is not passed on",
    `${signing}/sync.ts`,
    "lifetimeMs(expirationSeconds, context.durationMs)",
    "context.durationMs",
  ),
  sign(
    "the duration of the flag is not passed on",
    `${signing}/sync.ts`,
    "lifetimeMs(expirationSeconds, context.durationMs)",
    "lifetimeMs(expirationSeconds, 8_760 * 3_600_000)",
  ),
  sign(
    "requests wake no signer",
    `${signing}/controller.ts`,
    "if (change.object.spec.signerName === signer.signerName) itself(change, wake);",
    "void itself; void wake; void change;",
  ),
  sign("retries begin after 5 ms", `${signing}/controller.ts`, "backOff: { firstMs: 200 },", ""),
  sign(
    "files are not followed",
    `${signing}/controller.ts`,
    "kit.task(async (signal) => files.follow(follow, kit.env, signal));",
    "void follow;",
  ),
  sign(
    "one signer alone follows the files",
    `${signing}/controller.ts`,
    "for (const signer of working) signer.authority = next;",
    "for (const signer of working.slice(0, 1)) signer.authority = next;",
  ),
  sign(
    "bad files are noticed when the process leads",
    `${signing}/controller.ts`,
    "for (const { files } of settings.signers) files.load();",
    "",
  ),
  sign(
    "what others said of a request is lost",
    `${signing}/sync.ts`,
    "status: { ...owner.status, ...changed }",
    "status: changed",
  ),
  files(
    "one half of a pair is used",
    "pkg/pki/signing-authority.ts",
    "if (!certificate.checkPrivateKey(privateKey))",
    "if (certificate.raw.length === 0)",
  ),
  files(
    "a change between reading and following is missed",
    `${daemon}/authority-files.ts`,
    "watchFiles(paths, before,",
    "watchFiles(paths, paths.map((path) => readFileSync(path)),",
  ),
  files(
    "the flags of one signer are those of another",
    `${daemon}/authority-files.ts`,
    "[signerNames.kubeletServing, options.kubeletServingCertFile, options.kubeletServingKeyFile],",
    "[signerNames.kubeletServing, options.kubeletClientCertFile, options.kubeletClientKeyFile],",
  ),
  files(
    "signers with one pair read it four times",
    `${daemon}/authority-files.ts`,
    "return own.map(([signerName]) => ({ signerName, files }));",
    "return own.map(([signerName]) => ({ signerName, files: { ...files } }));",
  ),
  files("following does not end", `${daemon}/authority-files.ts`, "watched.stop();", ""),
  files(
    "an error does not say which files",
    `${daemon}/authority-files.ts`,
    "throw new StartError(`the authority of ${certFile} and ${keyFile}`, error);",
    "throw error;",
  ),
  wiring(
    "the duration is always that of upstream",
    `${daemon}/registry.ts`,
    "const { durationMs } = options.csrSigning;",
    "const durationMs = 8_760 * 3_600_000;",
  ),
  wiring("signers have one worker", `${signing}/controller.ts`, "workers: WORKERS,", "workers: 1,"),

  // Certificates.
  sign(
    "a certificate is that of an authority",
    "pkg/pki/signing-authority.ts",
    'extension("2.5.29.19", sequence(), true),',
    'extension("2.5.29.19", sequence(Buffer.from("0101ff", "hex")), true),',
  ),
  sign(
    "names are left out",
    "pkg/pki/signing-authority.ts",
    "...(hasNames(request)",
    "...(hasNames({ ...request, dnsNames: [], ipAddresses: [], emailAddresses: [], uris: [] })",
  ),
  request("addresses stand before mails", "pkg/pki/requested-names.ts", "[1, names.emailAddresses],", ""),
  request(
    "mapped addresses stay as they are",
    "pkg/pki/requested-names.ts",
    "address.length === 16 && address.subarray(0, 12).equals(MAPPED) ? address.subarray(12) : address",
    "address",
  ),
  request(
    "the first common name counts",
    "pkg/pki/subject.ts",
    'return values.at(-1) ?? "";',
    'return values[0] ?? "";',
  ),
  request(
    "texts are always UTF-8",
    "pkg/pki/der.ts",
    "? element(0x13, Buffer.from(value)) : utf8String(value)",
    "? utf8String(value) : utf8String(value)",
  ),
  request(
    "organizations stand as they came",
    "pkg/pki/subject.ts",
    "sortInSteps(elements, (one, other) => one.compare(other))",
    "sortInSteps(elements, () => 0)",
  ),
  request(
    "an extension may be requested twice",
    "pkg/pki/certificate-request.ts",
    'if (found.has(extension.id)) throw new CertificateError("an extension is requested twice");',
    "",
  ),
  request(
    "something may stand behind a request",
    "pkg/pki/certificate-request.ts",
    'if (!whole.isAtEnd) throw new CertificateError("there is something behind the request");',
    "",
  ),
  request(
    "lengths may be longer than they need be",
    "pkg/pki/der-reader.ts",
    "if (length < 0x80 || length > MOST_BYTES) throw malformed();",
    "if (length > MOST_BYTES) throw malformed();",
  ),
  request(
    "numbers may be longer than they need be",
    "pkg/pki/asn1-values.ts",
    "if (content.length > 1 && isPadded) throw malformed();",
    "",
  ),
  request(
    "URIs stay as they are written",
    "pkg/pki/requested-names.ts",
    "return formatGoUrl(url);",
    "return text;",
  ),
  request(
    "a request of a megabyte is read at once",
    "pkg/pki/requested-names.ts",
    "if (count % STEP === 0) yield;\n  }\n  return { dnsNames",
    "if (count % 1e9 === 0) yield;\n  }\n  return { dnsNames",
  ),
];
