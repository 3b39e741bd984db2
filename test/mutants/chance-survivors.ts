import { mutantsOf } from "./mutant.ts";

// Of the mistakes that chance had chosen, those that no test noticed.
const corpus = "test/integration/api/corpus/corpus.test.ts";
const at = (...tests: readonly string[]): ReturnType<typeof mutantsOf> =>
  mutantsOf("chosen by chance", tests);

export const chanceSurvivors = [
  at("pkg/apiserver/discovery/openapi-schema.test.ts")(
    "clients do not hear by which key a list is merged",
    "pkg/apiserver/discovery/openapi-schema.ts",
    `{ "x-kubernetes-patch-merge-key": patchMergeKey }`,
    `{}`,
  ),
  at("pkg/apiserver/discovery/documents.test.ts")(
    "the root leaves out the groups",
    "pkg/apiserver/discovery/documents.ts",
    `if (name !== "") paths.push`,
    `if (name === "") paths.push`,
  ),
  at("test/integration/api/limit-ranges.test.ts")(
    "a pod that asks for the least that it may is refused",
    "pkg/apiserver/admission/limit-ranger.ts",
    `request.compare(minimum) < 0`,
    `request.compare(minimum) < 1`,
  ),
  at("pkg/apiserver/webhook-client/review-reply.test.ts")(
    "a review of another group is one of another version",
    "pkg/apiserver/webhook-client/review-reply.ts",
    `kind === expected.kind && group === expected.group`,
    `(kind === expected.kind || group === expected.group)`,
  ),
  at("pkg/apiserver/http/port-session.test.ts")(
    "a connection tells of its troubles in the stream of one that has ended",
    "pkg/apiserver/http/port-session.ts",
    `    waiting.delete(id);`,
    ``,
  ),
  at("pkg/apiserver/http/protobuf.test.ts")(
    "a list in protobuf loses its version",
    "pkg/api/protobuf/encode.ts",
    `  before.nested(1, 0);`,
    ``,
  ),
  at("pkg/api/protobuf/decode.test.ts")(
    "the value of an annotation that nobody wants is read as fields",
    "pkg/api/protobuf/decode.ts",
    `entry = decodeValue(reader, field);
    else reader.skip();`,
    `entry = decodeValue(reader, field);`,
  ),
  at("pkg/apiserver/server/output.test.ts")(
    "each event of a watch of tables names the columns",
    "pkg/apiserver/server/output.ts",
    `this.#columnsSent = true;`,
    `this.#columnsSent = false;`,
  ),
  at("pkg/apiserver/kinds/devices/selectors.test.ts")(
    "an old selector that would be refused now keeps all else from being changed",
    "pkg/apiserver/kinds/devices/selectors.ts",
    `context.subresource !== "" || same`,
    `context.subresource !== "" && same`,
  ),
  at("pkg/cluster/hollow/container-logs.test.ts")(
    "every log is followed",
    "pkg/cluster/hollow/container-logs.ts",
    `request.follow && endedMs === undefined`,
    `endedMs === undefined`,
  ),
  at("pkg/cache/feed/reflector-failures.test.ts")(
    "a version that is ahead of an old server is not seen beside other causes",
    "pkg/cache/feed/reflector-failures.ts",
    `messages.some`,
    `messages.every`,
  ),
  at("cmd/kube-controller-manager/metric-forms.test.ts")(
    "a bucket of a metric is not where dashboards have it",
    "pkg/client/rest-metrics.ts",
    `15, 30, 60]`,
    `15, 31, 60]`,
  ),
  at(corpus)(
    "a Job with one label in its template has none",
    "pkg/apiserver/kinds/batch/job.ts",
    `  const labels = templateLabels(child(spec, "template"));
  if (Object.keys(labels).length > 0`,
    `  const labels = templateLabels(child(spec, "template"));
  if (Object.keys(labels).length > 1`,
  ),
  at(corpus)(
    "a node that is ready is shown as unknown",
    "pkg/apiserver/kinds/core/node.ts",
    `if (ready !== undefined)`,
    `if (ready === undefined)`,
  ),
  at(corpus)(
    "hosts may have any other name",
    "pkg/apiserver/kinds/pod/pod-spec.ts",
    "      errors.invalidEach(`${path}[${index}].hostnames[${at}]`, hostname, dnsSubdomainProblems(hostname));",
    ``,
  ),
];
