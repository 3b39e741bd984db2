import { integer, objectIdentifier, octetString, sequence, tagged } from "../../../../pkg/pki/der.ts";
import {
  ANY,
  ca,
  CLIENT,
  constraints,
  criticalNames,
  directory,
  dns,
  ip,
  mail,
  names,
  other,
  PRIVATE_PURPOSE,
  purposes,
  SERVER,
  unknown,
  uri,
  usages,
} from "../../../../test/harness/certificate-parts.ts";
import {
  type Odd,
  type OddExtension,
  oddCertificate,
  ODD_NOW_MS,
  type SignatureName,
  type WantedOdd,
} from "../../../../test/harness/odd-certificate.ts";

/** A chain that a client presents to one who trusts the roots, and what Go 1.26 thinks of it. */
export interface CertificateCase {
  readonly name: string;
  readonly chain: readonly Odd[];
  readonly roots: readonly Odd[];
  /** By x509.ParseCertificate of all that is presented, crypto/tls's rules for a client's key, and x509.Verify. */
  readonly go: "accepts" | "refuses";
  /** Refused here although Go takes it: what it would need is not judged. */
  readonly stricter?: true;
}

const DAY_MS = 24 * 3_600_000;

const authority = (subject: string, wanted: Partial<WantedOdd> = {}): Odd =>
  oddCertificate({ subject, extensions: [ca()], ...wanted });
const leaf = (issuer: Odd, ...extensions: readonly OddExtension[]): Odd =>
  oddCertificate({ subject: "O=devs,CN=jane", issuer, extensions });
const leafWith = (issuer: Odd, wanted: Partial<WantedOdd>): Odd =>
  oddCertificate({ subject: "O=devs,CN=jane", issuer, ...wanted });

const root = authority("CN=root");
const rsaRoot = authority("CN=rsa root", { key: "rsa" });
const edRoot = authority("CN=ed root", { key: "ed25519" });
const impostor = authority("CN=root", { key: "p384" });
const below = (issuer: Odd, subject: string, ...extensions: readonly OddExtension[]): Odd =>
  oddCertificate({ subject, issuer, extensions });

const cases: CertificateCase[] = [];
function takes(name: string, chain: readonly Odd[], roots: readonly Odd[] = [root]): void {
  cases.push({ name, chain, roots, go: "accepts" });
}
function refuses(name: string, chain: readonly Odd[], roots: readonly Odd[] = [root]): void {
  cases.push({ name, chain, roots, go: "refuses" });
}
function takesButNotWe(name: string, chain: readonly Odd[], roots: readonly Odd[] = [root]): void {
  cases.push({ name, chain, roots, go: "accepts", stricter: true });
}

// Signatures
takes("ECDSA with SHA-256", [leaf(root)]);
for (const signature of ["ec-sha384", "ec-sha512"] as const)
  takes(signature, [leafWith(root, { signature })]);
for (const signature of ["ec-sha1", "ec-sha224"] as const)
  refuses(signature, [leafWith(root, { signature })]);
const rsaLeaf = (signature: SignatureName): readonly Odd[] => [leafWith(rsaRoot, { signature })];
for (const good of ["rsa-sha256", "rsa-sha384", "rsa-sha512", "pss-sha256", "pss-sha384"] as const) {
  takes(good, rsaLeaf(good), [rsaRoot]);
}
for (const bad of ["rsa-sha1", "rsa-md5", "rsa-sha224", "pss-short-salt", "pss-sha1"] as const) {
  refuses(bad, rsaLeaf(bad), [rsaRoot]);
}
takes("Ed25519", [leaf(edRoot)], [edRoot]);
const ed448Root = authority("CN=ed448 root", { key: "ed448" });
refuses("Ed448", [leaf(ed448Root)], [ed448Root]);
const dsaRoot = authority("CN=dsa root", { key: "dsa" });
refuses("DSA", [leaf(dsaRoot)], [dsaRoot]);
const pssRoot = authority("CN=pss root", { key: "rsa-pss" });
refuses("a root's key for PSS only", [leaf(pssRoot)], [pssRoot]);
refuses("a wrong signature", [leafWith(root, { broken: true })]);
refuses("a wrong signature of RSA", [leafWith(rsaRoot, { broken: true })], [rsaRoot]);
refuses("signed by a key of that name, but another", [leaf(impostor)]);
refuses(
  "another algorithm in the signed part",
  [leafWith(rsaRoot, { innerSignature: "rsa-sha512" })],
  [rsaRoot],
);
refuses("SHA-1 in the signed part", [leafWith(rsaRoot, { innerSignature: "rsa-sha1" })], [rsaRoot]);
const shaOneMiddle = oddCertificate({
  subject: "CN=sha1",
  issuer: rsaRoot,
  signature: "rsa-sha1",
  extensions: [ca()],
});
refuses("an intermediate signed with SHA-1", [leaf(shaOneMiddle), shaOneMiddle], [rsaRoot]);
const shaOneRoot = authority("CN=sha1 root", { key: "rsa", signature: "rsa-sha1" });
takes("a root that has signed itself with SHA-1", [leaf(shaOneRoot)], [shaOneRoot]);
const md5Root = authority("CN=md5 root", { key: "rsa", signature: "rsa-md5" });
takes("a root that has signed itself with MD5", [leaf(md5Root)], [md5Root]);

// Keys
for (const key of ["p224", "p384", "p521", "ed25519", "rsa", "rsa-1024", "rsa-8192"] as const) {
  takes(`a client's key: ${key}`, [leafWith(root, { key })]);
}
const badKeys = [
  "secp256k1",
  "ed448",
  "dsa",
  "rsa-pss",
  "rsa-512",
  "rsa-768",
  "rsa-1023",
  "rsa-8200",
] as const;
for (const key of [...badKeys, "rsa-even-exponent"] as const) {
  refuses(`a client's key: ${key}`, [leafWith(root, { key })]);
}
for (const key of ["rsa-512", "rsa-768", "rsa-1023", "secp256k1"] as const) {
  const weak = authority("CN=weak", { key });
  refuses(`a root's key: ${key}`, [leaf(weak)], [weak]);
  const middle = oddCertificate({ subject: "CN=weak middle", issuer: root, key, extensions: [ca()] });
  refuses(`an intermediate's key: ${key}`, [leaf(middle), middle]);
}
const oldRoot = authority("CN=old", { key: "rsa-1024" });
takes("a root's key: rsa-1024", [leaf(oldRoot)], [oldRoot]);

// Authorities
const middle = below(root, "CN=middle", ca(0));
const lower = below(middle, "CN=lower", ca());
takes("over an intermediate", [leaf(middle), middle]);
takes("over an intermediate, among others and twice", [leaf(middle), impostor, middle, middle]);
refuses("a missing intermediate", [leaf(middle)]);
refuses("a path length of 0 with one below", [leaf(lower), lower, middle]);
const one = below(root, "CN=one", ca(1));
const two = below(one, "CN=two", ca());
const three = below(two, "CN=three", ca());
takes("a path length of 1 with one below", [leaf(two), two, one]);
refuses("a path length of 1 with two below", [leaf(three), three, two, one]);
const short = authority("CN=short", { extensions: [ca(0)] });
const belowShort = below(short, "CN=below", ca());
takes("a root's path length of 0 with none below", [leaf(short)], [short]);
refuses("a root's path length of 0 with one below", [leaf(belowShort), belowShort], [short]);
const selfIssued = oddCertificate({ subject: "CN=short", issuer: short, key: "p384", extensions: [ca()] });
refuses("a root's path length of 0 with one of its own name below", [leaf(selfIssued), selfIssued], [short]);
const user = below(root, "CN=user");
refuses("signed by one who is no authority", [leaf(user), user]);
const denied = below(root, "CN=denied", ca(undefined, false));
refuses("signed by one who says that he is no authority", [leaf(denied), denied]);
const plainRoot = oddCertificate({ subject: "CN=plain" });
refuses("a root without basic constraints", [leaf(plainRoot)], [plainRoot]);
const falseRoot = authority("CN=false", { extensions: [ca(undefined, false)] });
refuses("a root that says that it is no authority", [leaf(falseRoot)], [falseRoot]);
const firstRoot = oddCertificate({ subject: "CN=first", version: 1 });
takes("a root of version 1", [leaf(firstRoot)], [firstRoot]);
const firstMiddle = oddCertificate({ subject: "CN=first middle", issuer: root, version: 1 });
refuses("an intermediate of version 1", [leaf(firstMiddle), firstMiddle]);
takes("a leaf of version 1", [leafWith(root, { version: 1 })]);
refuses("a leaf of version 4", [leafWith(root, { version: 4 })]);
refuses("a negative serial number", [leafWith(root, { serial: Buffer.from("0201ff", "hex") })]);
takes("by the second of two roots of one name", [leaf(root)], [impostor, root]);
const crossOne = oddCertificate({ subject: "CN=cross a", issuer: impostor, extensions: [ca()] });
const loopOne = oddCertificate({
  subject: "CN=loop a",
  issuer: { ...root, subject: "CN=loop b" },
  extensions: [ca()],
});
const loopTwo = oddCertificate({ subject: "CN=loop b", issuer: loopOne, extensions: [ca()] });
refuses("authorities that vouch for each other", [leaf(loopOne), loopOne, loopTwo]);
takes("authorities that vouch for each other, aside", [leaf(middle), crossOne, loopOne, loopTwo, middle]);
const crowd = Array.from({ length: 120 }, (_, index) =>
  oddCertificate({
    subject: "CN=middle",
    issuer: root,
    key: "ed25519",
    serial: integer(Buffer.of(index)),
    extensions: [ca()],
  }),
);
refuses("a crowd of one name", [leaf(middle), ...crowd, middle]);
const printableRoot = authority("CN=root", { printable: true });
refuses("a root whose name is written in another way", [leaf(root)], [printableRoot]);
const identified = authority("CN=identified", {
  extensions: [ca(), other("2.5.29.14", false, octetString(Buffer.from("aa")))],
});
const misled = other("2.5.29.35", false, sequence(tagged(0, Buffer.from("bb"), false)));
takes("the identifier of another key", [leaf(identified, misled)], [identified]);

// Key usages
const signs = below(root, "CN=signs", ca(), usages(0b0000_0100));
takes("an authority for certificates", [leaf(signs), signs]);
const encrypts = below(root, "CN=encrypts", ca(), usages(0b1010_0010));
refuses("an authority for everything but certificates", [leaf(encrypts), encrypts]);
const encryptsRoot = authority("CN=encrypts", { extensions: [ca(), usages(0b0000_0010)] });
refuses("a root for everything but certificates", [leaf(encryptsRoot)], [encryptsRoot]);
const nothing = below(root, "CN=nothing", ca(), usages(0));
takes("an authority for nothing in particular", [leaf(nothing), nothing]);
takes("a leaf that is for encryption only", [leaf(root, usages(0b0010_0000))]);

// Purposes
takes("for clients", [leaf(root, purposes(CLIENT))]);
takes("for servers and clients", [leaf(root, purposes(SERVER, CLIENT))]);
takes("for anything", [leaf(root, purposes(ANY))]);
takes("for servers and anything", [leaf(root, purposes(SERVER, ANY))]);
takes("a list of purposes without any", [leaf(root, purposes())]);
refuses("for servers", [leaf(root, purposes(SERVER))]);
refuses("for something private", [leaf(root, purposes(PRIVATE_PURPOSE))]);
takes("for something private and clients", [leaf(root, purposes(PRIVATE_PURPOSE, CLIENT))]);
const serverMiddle = below(root, "CN=servers", ca(), purposes(SERVER));
refuses("an intermediate for servers", [leaf(serverMiddle, purposes(CLIENT)), serverMiddle]);
const anyMiddle = below(root, "CN=any", ca(), purposes(ANY));
takes("an intermediate for anything", [leaf(anyMiddle, purposes(CLIENT)), anyMiddle]);
const serverRoot = authority("CN=server root", { extensions: [ca(), purposes(SERVER)] });
refuses("a root for servers", [leaf(serverRoot, purposes(CLIENT))], [serverRoot]);

// Extensions
refuses("an unknown critical extension", [leaf(root, unknown(true))]);
takes("an unknown extension", [leaf(root, unknown(false))]);
const strange = below(root, "CN=strange", ca(), unknown(true));
refuses("an unknown critical extension of an intermediate", [leaf(strange), strange]);
const strangeRoot = authority("CN=strange root", { extensions: [ca(), unknown(true)] });
refuses("an unknown critical extension of a root", [leaf(strangeRoot)], [strangeRoot]);
refuses("an extension twice", [leaf(root, purposes(CLIENT), purposes(CLIENT))]);
refuses("a critical identifier of the key", [
  leaf(root, other("2.5.29.14", true, octetString(Buffer.of(1)))),
]);
refuses("a critical identifier of the authority's key", [leaf(root, { ...misled, critical: true })]);
refuses("a critical place of the authority", [leaf(root, other("1.3.6.1.5.5.7.1.1", true))]);
takes("critical purposes", [leaf(root, { ...purposes(CLIENT), critical: true })]);
takes("critical places of revocations", [leaf(root, other("2.5.29.31", true))]);
refuses("critical names of kinds that nobody knows", [leaf(root, criticalNames(directory))]);
takes("names of kinds that nobody knows", [leaf(root, names(directory))]);
takes("critical names", [leaf(root, criticalNames(dns("a.test")))]);
refuses("an address of five bytes", [leaf(root, names(ip(1, 2, 3, 4, 5)))]);
refuses("a name that is no ASCII", [leaf(root, names(dns("\u00e4.test")))]);
takes("a policy", [leaf(root, other("2.5.29.32", true, sequence(sequence(objectIdentifier("1.2.3")))))]);
const explicit = other("2.5.29.36", false, sequence(tagged(0, Buffer.of(0), false)));
const policed = below(root, "CN=policed", ca(), explicit);
refuses("an authority that asks for policies, of which there are none", [leaf(policed), policed]);
const policy = other("2.5.29.32", false, sequence(sequence(objectIdentifier("1.2.3"))));
const policedWell = below(root, "CN=policed well", ca(), explicit, policy);
takesButNotWe("an authority that asks for policies, which are there", [
  leaf(policedWell, policy),
  policedWell,
]);
const noMapping = below(
  root,
  "CN=no mapping",
  ca(),
  other("2.5.29.36", true, sequence(tagged(1, Buffer.of(0), false))),
);
takes("an authority that forbids to map policies", [leaf(noMapping), noMapping]);

// Names under constraints
function under(extension: OddExtension, ...mine: readonly OddExtension[]): readonly Odd[] {
  const constrained = below(root, "CN=constrained", ca(), extension);
  return [leaf(constrained, ...mine), constrained];
}
const permitted = constraints([dns("x.test")]);
takes("constraints, and no name", under(permitted));
takes("a permitted name", under(permitted, names(dns("x.test"))));
takes("a permitted name in capitals", under(permitted, names(dns("A.X.TEST"))));
takes("a name below a permitted one", under(permitted, names(dns("a.b.x.test"))));
refuses("a name that is not permitted", under(permitted, names(dns("y.test"))));
refuses("a name that only ends like a permitted one", under(permitted, names(dns("ax.test"))));
refuses("one of two names is not permitted", under(permitted, names(dns("x.test"), dns("y.test"))));
takes("an address under constraints of names", under(permitted, names(ip(10, 0, 0, 1))));
takes(
  "constraints that are not critical, kept",
  under(constraints([dns("x.test")], [], false), names(dns("x.test"))),
);
refuses(
  "constraints that are not critical, not kept",
  under(constraints([dns("x.test")], [], false), names(dns("y.test"))),
);
takes(
  "below a permitted name with a dot in front",
  under(constraints([dns(".x.test")]), names(dns("a.x.test"))),
);
refuses(
  "a permitted name with a dot in front itself",
  under(constraints([dns(".x.test")]), names(dns("x.test"))),
);
takes("every name permitted", under(constraints([dns("")]), names(dns("y.test"))));
refuses("every name excluded", under(constraints([], [dns("")]), names(dns("y.test"))));
refuses("an excluded name", under(constraints([], [dns("x.test")]), names(dns("a.x.test"))));
takes("a name that is not excluded", under(constraints([], [dns("x.test")]), names(dns("y.test"))));
refuses(
  "a wildcard over an excluded name",
  under(constraints([], [dns("a.x.test")]), names(dns("*.x.test"))),
);
refuses("permitted and excluded", under(constraints([dns("test")], [dns("x.test")]), names(dns("x.test"))));
takes("a permitted address", under(constraints([ip(10, 0, 0, 0, 255, 0, 0, 0)]), names(ip(10, 1, 2, 3))));
refuses(
  "an address that is not permitted",
  under(constraints([ip(10, 0, 0, 0, 255, 0, 0, 0)]), names(ip(11, 1, 2, 3))),
);
refuses(
  "an excluded address",
  under(constraints([], [ip(10, 0, 0, 0, 255, 0, 0, 0)]), names(ip(10, 1, 2, 3))),
);
const ipv6 = Array.from({ length: 16 }, () => 1);
refuses(
  "an IPv6 address under IPv4 constraints",
  under(constraints([ip(10, 0, 0, 0, 255, 0, 0, 0)]), names(ip(...ipv6))),
);
takes(
  "an IPv6 address not excluded by IPv4 constraints",
  under(constraints([], [ip(10, 0, 0, 0, 255, 0, 0, 0)]), names(ip(...ipv6))),
);
refuses("a mask with a hole", under(constraints([ip(10, 0, 0, 0, 255, 0, 255, 0)])));
refuses("empty constraints", under(constraints([])));
refuses("critical constraints of kinds that nobody knows", under(constraints([directory])));
takes(
  "constraints of kinds that nobody knows",
  under(constraints([directory], [], false), names(dns("y.test"))),
);
refuses(
  "a mail address that is not permitted",
  under(constraints([mail("x.test")]), names(mail("a@y.test"))),
);
takesButNotWe("a permitted mail address", under(constraints([mail("x.test")]), names(mail("a@x.test"))));
refuses("a URI that is not permitted", under(constraints([uri("x.test")]), names(uri("https://y.test/"))));
takesButNotWe("a permitted URI", under(constraints([uri("x.test")]), names(uri("https://x.test/"))));
const constrainedRoot = authority("CN=constrained root", { extensions: [ca(), permitted] });
takes("a root's constraints kept", [leaf(constrainedRoot, names(dns("x.test")))], [constrainedRoot]);
refuses("a root's constraints not kept", [leaf(constrainedRoot, names(dns("y.test")))], [constrainedRoot]);
const named = below(constrainedRoot, "CN=named", ca(), names(dns("y.test")));
refuses("an intermediate whose name is not permitted", [leaf(named), named], [constrainedRoot]);
const free = below(root, "CN=free", ca(), permitted, names(dns("y.test")));
takes("an authority's own name is not under its own constraints", [leaf(free), free]);

// Times
const early = { fromMs: ODD_NOW_MS + DAY_MS, toMs: ODD_NOW_MS + 2 * DAY_MS };
const late = { fromMs: ODD_NOW_MS - 2 * DAY_MS, toMs: ODD_NOW_MS - DAY_MS };
refuses("a leaf that has expired", [leafWith(root, late)]);
refuses("a leaf whose time has not come", [leafWith(root, early)]);
for (const [when, times] of [
  ["expired", late],
  ["not valid yet", early],
] as const) {
  const wrong = oddCertificate({ subject: "CN=middle", issuer: root, extensions: [ca()], ...times });
  refuses(`an intermediate that is ${when}`, [leaf(wrong), wrong]);
  takes(`an intermediate that is ${when}, and one of its name and key that is not`, [
    leaf(wrong),
    wrong,
    middle,
  ]);
  const wrongRoot = authority("CN=wrong root", times);
  refuses(`a root that is ${when}`, [leaf(wrongRoot)], [wrongRoot]);
}
takes("to the second", [leafWith(root, { fromMs: ODD_NOW_MS, toMs: ODD_NOW_MS })]);

// Alone
const alone = oddCertificate({ subject: "CN=alone" });
refuses("signed by itself", [alone]);
refuses("signed by itself under a root's name", [oddCertificate({ subject: "CN=root", key: "p384" })]);
takes("trusted itself", [alone], [alone]);
refuses(
  "trusted itself, but expired",
  [{ ...oddCertificate({ subject: "CN=alone", ...late }) }],
  [oddCertificate({ subject: "CN=alone", ...late })],
);
const aloneServer = oddCertificate({ subject: "CN=alone", extensions: [purposes(SERVER)] });
refuses("trusted itself, but for servers", [aloneServer], [aloneServer]);
takes("a root that presents itself", [root]);
refuses("a root that nobody trusts", [impostor]);

export const certificateCases: readonly CertificateCase[] = cases;
