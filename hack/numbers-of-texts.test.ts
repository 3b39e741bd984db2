import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Where a text or a bigint becomes a double, and why nothing is lost. Everything else is for pkg/api/int64.ts. */
const DOUBLES: Readonly<Record<string, string>> = {
  "cmd/kcm/flag-types.ts": "a whole number of nine digits at most",
  "cmd/kube-controller-manager/options/flag-types.ts": "flags of Go's types int and float64, checked",
  "cmd/kube-controller-manager/options/flag.ts": "flags of Go's types int32 and float, checked",
  "cmd/kube-controller-manager/server/pprof.ts": "seven bits of a number",
  "cmd/kube-controller-manager/server/routes/debug-flags.ts": "a log level of nine digits at most",
  "cmd/kube-controller-manager/server/routes/profiling.ts": "seconds, checked",
  "cmd/kube-controller-manager/server/routes/z-pages.ts": "the day of a month",
  "controllers/cronjob/missed-schedules.ts": "a time span, which is compared with times",
  "controllers/job/index-ranges.ts": "an index of 64 bits, which counts when it is below a number of 32",
  "controllers/job/job-pods.ts": "an index of 64 bits, as above, and a time span",
  "controllers/devicetainteviction/eviction-plan.ts": "a time span, which is added to times",
  "controllers/job/verdict.ts": "a time span, which is compared with times",
  "controllers/namespace/remaining.ts": "a time span, which is compared with times",
  "controllers/nodeipam/cidr-set.ts": "the number of a range, of which there are 2^32 at most",
  "controllers/podautoscaler/replicas.ts": "ratios, which Go counts in floating point",
  "controllers/tainteviction/eviction-plan.ts":
    "seconds as milliseconds, of which no more than the order counts",
  "pkg/api/cron/fields.ts": "a field of a schedule, checked",
  "pkg/api/cron/schedule.ts": "a time span",
  "pkg/api/duration.ts": "time spans; Go counts their fractions in floating point",
  "pkg/api/exact-json.ts": "what is no whole number of 64 bits",
  "pkg/api/go-dump-quantity.ts": "a decimal exponent",
  "pkg/api/int-or-string.ts": "a percentage, and what is then checked to have 32 bits",
  "pkg/api/int64.ts": "the one place for whole numbers",
  "pkg/api/patch/json-patch.ts": "a place in a list",
  "pkg/api/protobuf/encode-plan.ts": "the number of a field in a message",
  "pkg/api/protobuf/encode.ts": "a double is a number already",
  "pkg/api/protobuf/message-plan.ts": "the number of a field in a message",
  "pkg/api/protobuf/writer.ts": "seven bits of a bigint",
  "pkg/api/quantity-int64.ts": "a share, which Go counts in floating point",
  "pkg/api/quantity-parse.ts": "a decimal exponent",
  "pkg/api/quantity.ts": "quantities as what they are compared as, or shown as in metrics",
  "pkg/api/quota/usage.ts": "a time span, which is compared with times",
  "pkg/api/time.ts": "parts of a time",
  "pkg/cache/informer/informer-metrics.ts": "a metric, of the last digits of a version",
  "pkg/client/config/http2-env.ts": "seconds to wait",
  "pkg/client/config/proxy-env.ts": "parts of addresses",
  "pkg/client/http/connect.ts": "a port",
  "pkg/client/http/proxy.ts": "a port",
  "pkg/client/retry.ts": "seconds to wait",
  "pkg/apiserver/admission/address-range.ts": "the length of a network's prefix",
  "pkg/apiserver/auth/token-reviews.ts": "seconds, checked to be below 2^32",
  "pkg/apiserver/crd/formats.ts": "the length of a network's prefix, parts of a time, single digits",
  "pkg/apiserver/crd/json-path.ts": "a place in a list, and a literal, which is a double in Go",
  "pkg/api/pattern.ts": "how often a pattern repeats, of four digits at most",
  "pkg/apiserver/crd/validate-number.ts": "doubles of a format, and multiples of fractions",
  "pkg/apiserver/http/port-session.ts": "a port",
  "pkg/apiserver/discovery/version-order.ts": "the number of an API's version",
  "pkg/cluster/hollow/commands.ts": "seconds to sleep",
  "pkg/cluster/hollow/pod-life.ts": "time spans, which are compared with times",
  "pkg/cluster/hollow/shell.ts": "an exit code",
  "pkg/crd/problem-place.ts": "a place in a list",
  "pkg/crd/schema-forms.ts": "bounds that libraries write for integers, which are doubles there",
  "pkg/cluster/hollow/script.ts": "seconds, and an exit code",
  "pkg/api/cron/time-zone.ts": "parts of an offset",
  "pkg/client/pods/processes.ts": "an exit code",
  "pkg/client/pods/tar.ts": "sizes and modes, of eleven digits at most",
  "pkg/client/http/web-socket.ts": "the length of a frame, which is held against a limit",
  "pkg/apiserver/kinds/batch/success-policy.ts": "an index, checked to be below a number of 32 bits",
  "pkg/apiserver/kinds/declared-rules.ts": "lengths that generated rules set",
  "pkg/apiserver/kinds/network/address-checks.ts": "the length of a network's prefix",
  "pkg/apiserver/kinds/policy/api-service.ts": "a port of 32 bits",
  "pkg/apiserver/kinds/policy/webhook.ts": "a port of 32 bits",
  "pkg/apiserver/kinds/rolling-update.ts": "a percentage, which is compared with 100",
  "pkg/api/go-url.ts": "two hexadecimal digits of an escape",
  "pkg/pki/asn1-values.ts": "parts of times",
  "pkg/pki/certificate.ts": "parts of addresses",
  "pkg/api/go-numbers.ts": "the lowest 32 bits",
  "pkg/pki/signatures.ts": "the length of a salt, which is compared with three",
  "pkg/api/go-time.ts": "digits of times",
  "pkg/api/wire-form.ts": "a field that is a double in Go, and bytes",
  "pkg/apiserver/decode/unstructured-problem.ts": "a number that has been cut off to 32 bits",
  "pkg/apiserver/server/json-problem.ts": "a place in a text",
  "pkg/apiserver/server/negotiate.ts": "the quality of a media type",
  "pkg/apiserver/server/pod-connect.ts": "how many lines, bytes or seconds of a log",
  "pkg/apiserver/server/query-options.ts": "versions of this server's own, and limits",
  "pkg/apiserver/decode/yaml-scalar.ts": "what is no whole number of 64 bits",
  "pkg/apiserver/storage/file-journal.ts": "versions of this server's own",
  "pkg/apiserver/webhook-client/webhook-client.ts": "ports",
  "pkg/apiserver/crd/cel/object-value.ts": "what a schema has as a double",
  "pkg/cel/conversions.ts": "doubles of the language, and milliseconds",
  "pkg/cel/estimate-calls.ts": "costs, which are capped",
  "pkg/cel/library/address.ts": "parts of addresses, of at most 16 bits",
  "pkg/cel/library/format-string.ts": "doubles of the language, and digits",
  "pkg/cel/library/lists.ts": "places in a list, checked to be within it",
  "pkg/cel/library/network.ts": "the length of a network's prefix",
  "pkg/cel/library/regex.ts": "how many matches are wanted",
  "pkg/cel/library/semver.ts": "which of two is more",
  "pkg/cel/library/strings.ts": "places in a text, checked to be within it",
  "pkg/cel/library/times.ts": "parts of a time",
  "pkg/cel/numbers.ts": "doubles of the language",
  "pkg/cel/operations.ts": "ints that are compared with doubles, and places in a list",
  "pkg/cel/runtime-cost.ts": "a depth that costs go by",
  "pkg/cel/unquote.ts": "code points",
  "pkg/cluster/hollow/device-annotation.ts":
    "how many devices, of three digits, and an attribute of fifteen at most",
  "pkg/cluster/scheduler/pod-devices.ts":
    "how many devices are wanted, which is compared with those that are there",
  "pkg/metrics/process-files.ts": "metrics of the kernel, which are doubles in Go as well",
  "pkg/controller/builder/managed-fields.ts": "a place in a list",
  "pkg/webhook/answer-request.ts": "a time span of a few seconds",
  "pkg/webhook/read-body.ts": "the length of a body",
  "pkg/endpoints/cidr.ts": "the length of a prefix, which is then compared with that of an address",
  "pkg/endpoints/ip-address.ts": "parts of addresses",
  "pkg/log/verbosity.ts": "a log level",
  "pkg/metrics/buckets.ts": "bounds of buckets",
  "pkg/metrics/policy.ts": "parts of a version",
  "pkg/metrics/series.ts": "an exponent",
};

const CONVERSION =
  /\b(?:Number\.parse(?:Int|Float)|Number|parseInt|parseFloat)\((?<from>[^\n]*)|[=(,:?]\s\+[a-zA-Z]/g;
/** Number(a > b) and the like tell whether something holds. */
const TRUTH = /^(?:!|is[A-Z]|has[A-Z])|^[^()]*(?:\([^()]*\))?[^()]*\s(?:[<>]=?|[!=]==)\s/;

/** What becomes a double in this source. */
function doublesIn(source: string): readonly string[] {
  return [...source.matchAll(CONVERSION)]
    .filter(({ groups }) => !TRUTH.test(groups?.["from"] ?? ""))
    .map(([text]) => text);
}

test("numbers of 64 bits in texts become no doubles: parseInt64 and parseInt32 read them", () => {
  const converting = globSync(["cmd/**/*.ts", "controllers/**/*.ts", "pkg/**/*.ts"])
    .filter((file) => !/\.(?:test|test-data|gen)\.ts$/.test(file))
    .filter((file) => doublesIn(readFileSync(file, "utf8")).length > 0);
  expect(converting.toSorted()).toEqual(Object.keys(DOUBLES).toSorted());
});

/** They are what parseJson is made of. */
const PARSERS = ["pkg/api/exact-json.ts", "pkg/api/wire-json.ts"];

test("JSON is read by parseJson, which keeps numbers of 64 bits", () => {
  const parsing = globSync(["cmd/**/*.ts", "controllers/**/*.ts", "pkg/**/*.ts"])
    .filter((file) => !/\.(?:test|test-data|gen)\.ts$/.test(file))
    .filter((file) => readFileSync(file, "utf8").includes("JSON.parse("));
  expect(parsing.toSorted()).toEqual(PARSERS);
});

test.each<[string, boolean]>([
  ["Number(metadata.annotations?.[REVISION])", true],
  ["Number(revision.revision)", true],
  ["Number.parseInt(text, 10)", true],
  ["parseInt(text, 10)", true],
  ["parseFloat(text)", true],
  ["const revision = +text;", true],
  ["Number(a > b)", false],
  ["a < b ? -1 : Number(a > b)", false],
  ["Number(b === preferredVersion?.version)", false],
  ["Number(!pod.spec?.nodeName)", false],
  ["Number(isPodReady(pod))", false],
  ["Number.isInteger(value)", false],
  ["parseInt64(text)", false],
])("%s: %s", (source, expected) => {
  expect(doublesIn(source).length > 0).toBe(expected);
});
