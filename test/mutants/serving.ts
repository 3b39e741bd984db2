import type { Mutant } from "./mutant.ts";

const server = "cmd/kube-controller-manager/server";
const chains = [`${server}/x509/verify-chain.test.ts`];
const served = [`${server}/start-server.test.ts`];
const settings = [`${server}/tls/tls-settings.test.ts`];

function row(
  name: string,
  file: string,
  [find, replace]: readonly [find: string, replace: string],
  tests: readonly string[],
): Mutant {
  return { name, file: `${server}/${file}`, find, replace, tests };
}

/** What certificates and their signatures must be to be read. */
const forms: readonly Mutant[] = [
  {
    name: "MD5 counts",
    file: "pkg/pki/signatures.ts",
    find: '  ["2a864886f70d01010b", { kind: "rsa", digest: "sha256" }],\n',
    replace:
      '  ["2a864886f70d010104", { kind: "rsa", digest: "sha256" }],\n  ["2a864886f70d01010b", { kind: "rsa", digest: "sha256" }],\n',
    tests: chains,
  },
  {
    name: "any parameters of PSS count",
    file: "pkg/pki/signatures.ts",
    find: "return counts ? found : undefined;",
    replace: "return counts || true ? found : undefined;",
    tests: chains,
  },
  {
    name: "negative serial numbers are taken",
    file: "pkg/pki/certificate-form.ts",
    find: ">= 0x80) throw",
    replace: ">= 0x100) throw",
    tests: chains,
  },
  {
    name: "extensions may come twice",
    file: "pkg/pki/certificate-form.ts",
    find: ".size < extensions.length",
    replace: ".size < 0",
    tests: chains,
  },
];

/** What a chain of certificates must be: each rule, taken out. */
const certificates: readonly Mutant[] = [
  row(
    "SHA-1 counts",
    "x509/certificate-algorithms.ts",
    ['found?.digest === "sha1" ? undefined : found?.kind', "found?.kind"],
    chains,
  ),
  row(
    "ECDSA with SHA-1 counts",
    "x509/certificate-algorithms.ts",
    ['found?.digest === "sha1" ?', 'found?.digest === "sha1" && found.kind === "rsa" ?'],
    chains,
  ),
  row(
    "keys of 1023 bits count",
    "x509/certificate-algorithms.ts",
    ["const LEAST_RSA_BITS = 1_024;", "const LEAST_RSA_BITS = 1_023;"],
    chains,
  ),
  row(
    "keys of any size are taken of clients",
    "x509/certificate-algorithms.ts",
    ["const MOST_RSA_BITS = 8_192;", "const MOST_RSA_BITS = 16_384;"],
    chains,
  ),
  row(
    "even exponents count",
    "x509/certificate-algorithms.ts",
    ["publicExponent > 1n && publicExponent % 2n === 1n &&", "publicExponent > 1n &&"],
    chains,
  ),
  row(
    "every curve counts",
    "x509/certificate-algorithms.ts",
    ['CURVES.has(details?.namedCurve ?? "") &&', 'details?.namedCurve !== "" &&'],
    chains,
  ),
  row(
    "signatures are not checked",
    "x509/certificate-algorithms.ts",
    ["return certificate.verify(issuer.publicKey);", "return true || certificate.verify(issuer.publicKey);"],
    chains,
  ),
  row(
    "a client's key is not looked at",
    "x509/verify-chain.ts",
    ["if (!isClientKey(leaf)) throw", "if (!isClientKey(leaf) && presented.length > 9) throw"],
    chains,
  ),
  row(
    "the leaf's time is not looked at",
    "x509/verify-chain.ts",
    ["  checkItself(leaf, nowMs);\n", ""],
    chains,
  ),
  row(
    "an issuer's time is not looked at",
    "x509/verify-chain.ts",
    ["  checkItself(issuer, nowMs);\n", ""],
    chains,
  ),
  row(
    "expired is not noticed",
    "x509/verify-chain.ts",
    ["if (nowMs > certificate.validToDate.getTime())", "if (nowMs > certificate.validToDate.getTime() * 2)"],
    chains,
  ),
  row(
    "too early is not noticed",
    "x509/verify-chain.ts",
    [
      "if (nowMs < certificate.validFromDate.getTime())",
      "if (nowMs * 2 < certificate.validFromDate.getTime())",
    ],
    chains,
  ),
  row(
    "unknown critical extensions are taken",
    "x509/verify-chain.ts",
    ["critical && !UNDERSTOOD.has(id)", "critical && id === '' && !UNDERSTOOD.has(id)"],
    chains,
  ),
  row(
    "anybody is an authority",
    "x509/verify-chain.ts",
    ["basic === undefined ? form.version === 3 : !basic.isAuthority", "basic !== undefined && false"],
    chains,
  ),
  row(
    "authorities without basic constraints count",
    "x509/verify-chain.ts",
    ["basic === undefined ? form.version === 3 :", "basic === undefined ? false :"],
    chains,
  ),
  row(
    "intermediates of version 1 count",
    "x509/verify-chain.ts",
    ['          this.#tolerates(() => checkIntermediate(candidate), "") &&\n', ""],
    chains,
  ),
  row(
    "keys that are not for certificates count",
    "x509/verify-chain.ts",
    ["if (!maySign(form)) throw", "if (!maySign(form) && form.version < 3) throw"],
    chains,
  ),
  row(
    "path lengths are off by one",
    "x509/verify-chain.ts",
    ["below.length - 1 > basic.pathLength", "below.length - 2 > basic.pathLength"],
    chains,
  ),
  row(
    "path lengths do not count",
    "x509/verify-chain.ts",
    ["basic?.pathLength !== undefined && below", "basic?.pathLength === -1 && below"],
    chains,
  ),
  row(
    "purposes of the leaf alone count",
    "x509/verify-chain.ts",
    [
      "  for (const form of forms) {\n    const purposes",
      "  for (const form of forms.slice(0, 1)) {\n    const purposes",
    ],
    chains,
  ),
  row(
    "purposes do not count",
    "x509/verify-chain.ts",
    ["purposes.length > 0 && !purposes", "purposes.length > 9 && !purposes"],
    chains,
  ),
  row(
    "policies that are asked for are not missed",
    "x509/verify-chain.ts",
    ["if (requiresPolicy(form))", "if (requiresPolicy(form) && form.version < 3)"],
    chains,
  ),
  row(
    "constraints of the root do not count",
    "x509/verify-chain.ts",
    ["forms.slice(index + 1)", "forms.slice(index + 1, -1)"],
    chains,
  ),
  row(
    "candidates without end",
    "x509/verify-chain.ts",
    ["const MOST_CANDIDATES = 100;", "const MOST_CANDIDATES = 100_000;"],
    chains,
  ),
  row(
    "names are not compared by their bytes",
    "x509/verify-chain.ts",
    ["formOf(candidate).subject.equals(issuer)", "candidate.subject === last.issuer || (issuer, false)"],
    chains,
  ),
  row(
    "a trusted leaf is not looked at",
    "x509/verify-chain.ts",
    ["root.raw.equals(leaf.raw))) return this.#accepts([leaf]);", "root.raw.equals(leaf.raw))) return true;"],
    chains,
  ),
  row(
    "excluded names are allowed",
    "x509/name-constraints.ts",
    ["if (!isPermitted || isExcluded) throw", "if (!isPermitted || (isExcluded && false)) throw"],
    chains,
  ),
  row(
    "names that are not permitted are allowed",
    "x509/name-constraints.ts",
    ["if (!isPermitted || isExcluded) throw", "if ((!isPermitted && false) || isExcluded) throw"],
    chains,
  ),
  row(
    "ends of labels count",
    "x509/name-constraints.ts",
    ['tree.startsWith(".") ? tree : `.${tree}`', "tree"],
    chains,
  ),
  row(
    "wildcards hide excluded names",
    "x509/name-constraints.ts",
    [
      "isBelow(name, tree) || isCovered(name, tree)",
      "isBelow(name, tree) || (isCovered(name, tree) && false)",
    ],
    chains,
  ),
  row(
    "addresses are not judged",
    "x509/name-constraints.ts",
    [
      "(permitted.networks.length > 0 && !isIn(permitted)) || isIn(excluded)",
      "permitted.networks.length > 9 && !isIn(permitted) && isIn(excluded)",
    ],
    chains,
  ),
  row(
    "masks may have holes",
    "x509/name-constraints.ts",
    ["!isMask(mask)", "!isMask(Buffer.alloc(4))"],
    chains,
  ),
];

const listening: readonly Mutant[] = [
  row(
    "static RSA is served",
    "tls/tls-settings.ts",
    ['  "ECDHE-RSA-AES256-SHA",\n];', '  "ECDHE-RSA-AES256-SHA",\n  "AES128-SHA",\n];'],
    settings,
  ),
  row(
    "Node.js' ciphers are served",
    "listener.ts",
    [
      "      ...withoutTickets(options.certificates.main),\n",
      "      ...withoutTickets({ ...options.certificates.main, ciphers: undefined }),\n",
    ],
    served,
  ),
  row(
    "3DES stops the program",
    "tls/tls-settings.ts",
    ["    return undefined;\n  }\n", '    throw new StartError("no");\n  }\n'],
    settings,
  ),
  row(
    "a suite that is left out is not told of",
    "tls/tls-settings.ts",
    ["is left out: it is no part", "is taken: it is no part"],
    settings,
  ),
  row(
    "hand-shakes have two minutes",
    "listener.ts",
    ["      handshakeTimeout: READ_HEADER_MS,\n", ""],
    served,
  ),
  row("absolute targets are paths", "handler.ts", ["originForm(url)", "(originForm, url)"], served),
  row(
    "absolute targets without a path are none",
    "handler.ts",
    ['rest.startsWith("/") ? rest : `/${rest}`', "rest"],
    served,
  ),
  row(
    "snapshots are served unasked",
    "handler.ts",
    ["if (parts.options.own.heapSnapshots) heap", "if (parts.options.own.heapSnapshots || true) heap"],
    served,
  ),
  row(
    "snapshots are never served",
    "handler.ts",
    ["if (parts.options.own.heapSnapshots) heap", "if (parts.options.own.heapSnapshots && false) heap"],
    served,
  ),
  row(
    "heap is a whole snapshot",
    "routes/profiling.ts",
    [
      "async (ms, signal) => profiler.heap(ms, signal)",
      'async () => getHeapSnapshot().setEncoding("utf8").toArray()',
    ],
    served,
  ),
  row(
    "a heap profile without compression",
    "profiler.ts",
    ["return gzipSync(heapProfile(", "return (gzipSync, Buffer.from)(heapProfile("],
    served,
  ),
  row(
    "stacks from the root on",
    "pprof.ts",
    ["[locationOf(node.callFrame), ...callers]", "[...callers, locationOf(node.callFrame)]"],
    [`${server}/pprof.test.ts`],
  ),
  row(
    "lines from 0 on",
    "pprof.ts",
    ["const line = lineNumber + 1;", "const line = lineNumber;"],
    [`${server}/pprof.test.ts`],
  ),
  row(
    "sizes of more than 32 bits are cut",
    "pprof.ts",
    ["let left = BigInt(Math.round(value));", "let left = BigInt(Math.round(value) % 2 ** 32);"],
    [`${server}/pprof.test.ts`],
  ),
  {
    name: "bounds of durations as JavaScript writes them",
    file: "pkg/workqueue/queue-metrics.ts",
    find: "(BUCKETS.at(-1) ?? 0) * 10",
    replace: "Number(`1e${BUCKETS.length - 8}`)",
    tests: ["pkg/workqueue/queue-metrics.test.ts"],
  },
  {
    name: "gauges under the names of counters",
    file: "pkg/metrics/runtime.ts",
    find: "  for (const name of MISNAMED) registry.removeSingleMetric(name);\n",
    replace: "",
    tests: ["pkg/metrics/registry.test.ts"],
  },
];

const counting: readonly Mutant[] = [
  {
    name: "transports that are given up are not counted",
    file: "pkg/client/http-clients.ts",
    find: "      metrics.closed(closing.length);\n",
    replace: "",
    tests: ["pkg/client/http-clients.test.ts"],
  },
];

export const servingMutants: readonly Mutant[] = [...forms, ...certificates, ...listening, ...counting];
