import { type Mutant, mutantsOf } from "./mutant.ts";

const root = "controllers/certificates";
const approving = `${root}/approving`;
const cleaner = `${root}/cleaner`;

const approve = mutantsOf("csrapproving", [`${approving}/sync.test.ts`, `${approving}/recognizers.test.ts`]);
const trouble = mutantsOf("certificates in trouble", ["controllers/certificates/troubles.test.ts"]);
const approveApi = mutantsOf("csrapproving", ["pkg/api/certificate-requests.test.ts"]);
const clean = mutantsOf("csrcleaner", [`${cleaner}/sync.test.ts`, `${cleaner}/stale-requests.test.ts`]);

export const certificatesMutants: readonly Mutant[] = [
  trouble(
    "whoever has the name is approved",
    `${approving}/apply.ts`,
    "{ ...owner, status }",
    "{ ...owner, metadata: { name: owner.metadata.name }, status }",
  ),
  trouble(
    "a round holds the loop",
    `${cleaner}/sync.ts`,
    "await forEachInTurns(clock, all, (request) => {",
    "await (async (_: unknown, list: typeof all, visit: (one: (typeof all)[number]) => void) => list.forEach(visit))(clock, all, (request) => {",
  ),
  // Approving.
  approve(
    "requests of others are taken for one's own",
    `${approving}/recognizers.ts`,
    '(spec.username ?? "") === request.commonName && ',
    "",
  ),
  approve(
    "any signer will do",
    `${approving}/recognizers.ts`,
    "signerName === signerNames.kubeletClient && kubeletClientProblem",
    "kubeletClientProblem",
  ),
  approve(
    "what is denied is approved",
    `${approving}/recognizers.ts`,
    "!approved && !denied &&",
    "!approved &&",
  ),
  approve(
    "what is approved is approved again",
    `${approving}/recognizers.ts`,
    "!approved && !denied &&",
    "!denied &&",
  ),
  approve("what is signed is approved again", `${approving}/recognizers.ts`, 'certificate === "" &&', ""),
  approve(
    "the order of the recognizers is another",
    `${approving}/recognizers.ts`,
    'subresource: "selfnodeclient",\n    message: "Auto approving self kubelet client certificate after SubjectAccessReview.",\n    recognizes: isSelfNodeClient,',
    'subresource: "nodeclient",\n    message: "Auto approving kubelet client certificate after SubjectAccessReview.",\n    recognizes: isNodeClient,',
  ),
  approve(
    "the message is that of others",
    `${approving}/recognizers.ts`,
    "Auto approving self kubelet client",
    "Auto approving kubelet client",
  ),
  approveApi(
    "any organization will do",
    "pkg/api/certificate-requests.ts",
    "organizations.length === 1 && ",
    "",
  ),
  approveApi(
    "hosts may be clients",
    "pkg/api/certificate-requests.ts",
    'if (request.dnsNames.length > 0) return "DNS subjectAltNames are not allowed";',
    "",
  ),
  approveApi(
    "any name will do",
    "pkg/api/certificate-requests.ts",
    "if (!request.commonName.startsWith(NODE_PREFIX)) return OTHER_NAME;",
    "",
  ),
  approve(
    "nobody is asked",
    `${approving}/sync.ts`,
    "if (!(await mayCreate(sync, context, candidate.subresource))) continue;",
    "",
  ),
  approve(
    "the answer is not waited for",
    `${approving}/sync.ts`,
    "!(await mayCreate(sync, context, candidate.subresource))",
    "mayCreate(sync, context, candidate.subresource) === undefined",
  ),
  approve(
    "a permission that comes later does not count",
    `${approving}/sync.ts`,
    "return { backOff: true };",
    "return {};",
  ),
  approve(
    "who asks is not passed on",
    `${approving}/apply.ts`,
    "...(username !== undefined && { user: username }),",
    "",
  ),
  approve(
    "groups are not passed on",
    `${approving}/apply.ts`,
    "...(groups !== undefined && { groups }),",
    "",
  ),
  approve(
    "what else is known of who asks is not passed on",
    `${approving}/apply.ts`,
    "...(extra !== undefined && { extra }),",
    "",
  ),
  approve("the uid is not passed on", `${approving}/apply.ts`, "...(uid !== undefined && { uid }),", ""),
  approve("the subresource is not named", `${approving}/apply.ts`, "          subresource,\n", ""),
  approve("an approval goes to the status", `${approving}/apply.ts`, '"approval")', '"status")'),
  approve(
    "what others said of a request is lost",
    `${approving}/apply.ts`,
    "[...conditions, approved]",
    "[approved]",
  ),
  approve(
    "what cannot be read is tried again for ever",
    `${approving}/sync.ts`,
    "throw new PermanentError(`unable to parse csr ${JSON.stringify(owner.metadata.name)}`, error);",
    "throw error;",
  ),
  approve("retries begin after 5 ms", `${approving}/controller.ts`, "backOff: { firstMs: 200 },", ""),

  // Cleaning.
  clean(
    "answered requests stay for a day",
    `${cleaner}/stale-requests.ts`,
    "const ANSWERED_MS = HOUR_MS;",
    "const ANSWERED_MS = 24 * HOUR_MS;",
  ),
  clean(
    "pending requests go after an hour",
    `${cleaner}/stale-requests.ts`,
    "const PENDING_MS = 24 * HOUR_MS;",
    "const PENDING_MS = HOUR_MS;",
  ),
  clean(
    "the limit itself is too old",
    `${cleaner}/stale-requests.ts`,
    "nowMs - sinceMs > limitMs",
    "nowMs - sinceMs >= limitMs",
  ),
  clean(
    "approved requests need not be issued",
    `${cleaner}/stale-requests.ts`,
    'if (isIssued && isOldIn("Approved", ANSWERED_MS))',
    'if (isOldIn("Approved", ANSWERED_MS))',
  ),
  clean(
    "denied requests stay",
    `${cleaner}/stale-requests.ts`,
    'if (isOldIn("Denied", ANSWERED_MS)) return "it is denied for more than an hour";',
    "",
  ),
  clean(
    "failed requests stay",
    `${cleaner}/stale-requests.ts`,
    'if (isOldIn("Failed", ANSWERED_MS)) return "it has failed more than an hour ago";',
    "",
  ),
  clean(
    "a remark is no decision",
    `${cleaner}/stale-requests.ts`,
    "if (conditions.length === 0 && isOld",
    "if (isOld",
  ),
  clean(
    "requests that are not issued stay",
    `${cleaner}/stale-requests.ts`,
    'return isOldIn("Approved", PENDING_MS) ? "it is approved for more than a day, and not issued" : undefined;',
    "return undefined;",
  ),
  clean(
    "expired certificates stay",
    `${cleaner}/stale-requests.ts`,
    "return isApproved && hasExpired()",
    "return isApproved && !hasExpired() && hasExpired()",
  ),
  clean(
    "certificates that cannot be read have expired",
    `${cleaner}/stale-requests.ts`,
    "(expiryMs(certificate) ?? nowMs) < nowMs",
    "(expiryMs(certificate) ?? 0) < nowMs",
  ),
  clean(
    "nobody has approved, and it goes all the same",
    `${cleaner}/stale-requests.ts`,
    "return isApproved && hasExpired()",
    "return hasExpired()",
  ),
  clean(
    "an age is that of the object",
    `${cleaner}/stale-requests.ts`,
    "isOld(condition.lastUpdateTime, limitMs)",
    "isOld(metadata.creationTimestamp, limitMs)",
  ),
  clean("the status is not read", `${cleaner}/stale-requests.ts`, '["status"] as const', "[] as const"),
  clean(
    "rounds are a day apart",
    `${cleaner}/controller.ts`,
    "const PERIOD_MS = 3_600_000;",
    "const PERIOD_MS = 24 * 3_600_000;",
  ),
  clean(
    "rounds begin after an hour",
    `${cleaner}/controller.ts`,
    'kit.every({ name: "rounds", periodMs',
    'kit.every({ waitsFirst: true, name: "rounds", periodMs',
  ),
  clean(
    "one that cannot be deleted ends the round",
    `${cleaner}/sync.ts`,
    "signal.throwIfAborted();",
    "throw error;",
  ),
  clean(
    "nothing is deleted",
    `${cleaner}/sync.ts`,
    "if (reason !== undefined) stale.push({ request, reason });",
    "",
  ),
  clean(
    "the PEM may not have anything before it",
    "pkg/pki/certificate-expiry.ts",
    'const block = decodePem(Buffer.from(base64, "base64").toString("latin1"));',
    'const block = decodePem(Buffer.from(base64, "base64").toString("latin1").replace(/^of this one\\n-/, ""));',
  ),
  clean("expiry is the begin", "pkg/pki/certificate-expiry.ts", "validToDate", "validFromDate"),
];
