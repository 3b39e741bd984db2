// Lets the Go program check the types of policies on a real API server: of upstream's tests, and made by chance. Compares, and keeps
// some of what it has warned of: node test/decisions/policies/record.ts [COUNT=500] [SEED=1]
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { resources } from "../../../pkg/api/resources.ts";
import type {
  ExpressionWarning,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from "../../../pkg/api/types/admissionregistration-v1.gen.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { isInvalid } from "../../../pkg/client/errors.ts";
import { seededRandom } from "../../../pkg/clock/random.ts";
import { clientsOf } from "../../harness/admin-client.ts";
import { newWorld } from "../../harness/controller-world.ts";
import { Daemon, goProgram } from "../../harness/daemon.ts";
import { startRealCluster } from "../../harness/real-cluster.ts";
import { until } from "../../harness/until.ts";
import { type NamedKind, plain, PolicyChecker } from "./policy-checker.ts";
import { RandomPolicies } from "./random-policy.ts";

const [count = "500", seed = "1"] = process.argv.slice(2);
/** As many of those made by chance are kept. */
const KEPT = 440;
/** Created at a time. */
const AT_ONCE = 20;
const SOURCES = [
  ["k8s.io/kubernetes", "test/integration/apiserver/cel"],
  ["k8s.io/kubernetes", "test/e2e/apimachinery"],
  ["k8s.io/apiserver", "pkg/admission/plugin/policy/validating"],
] as const;
const EXPRESSION = /Expression: *("(?:[^"\\]|\\.)*"|`[^`]*`)/g;
/** What upstream's tests of policies are about. */
const SUBJECTS = new Set(["namespaces", "configmaps", "pods", "deployments", "endpoints", "nodes"]);

/** Expressions that stand in upstream's tests of policies. */
function expressionsOfUpstream(): readonly string[] {
  const texts = SOURCES.flatMap(([module, path]) => {
    const { stdout } = spawnSync("go", ["list", "-m", "-f", "{{.Dir}}", module], {
      cwd: new URL("../../real", import.meta.url),
      encoding: "utf8",
    });
    const directory = join(stdout.trim(), path);
    const files = readdirSync(directory).filter((name) => name.endsWith(".go"));
    return files.map((name) => readFileSync(join(directory, name), "utf8"));
  });
  const literals = texts.flatMap((text) => [...text.matchAll(EXPRESSION)].map(([, literal = ""]) => literal));
  const read = literals.map((literal) =>
    literal.startsWith("`") ? literal.slice(1, -1) : (JSON.parse(literal) as string),
  );
  return [...new Set(read)].toSorted();
}

function policyAbout(
  { group, version, plural }: NamedKind,
  validation: ValidatingAdmissionPolicySpec["validations"],
): ValidatingAdmissionPolicySpec {
  const rule = { apiGroups: [group], apiVersions: [version], resources: [plural], operations: ["*"] };
  return {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    matchConstraints: { resourceRules: [rule] },
    variables: [
      { name: "replicas", expression: "object.spec.replicas" },
      { name: "oddReplicas", expression: "variables.replicas % 2 == 1" },
      { name: "foo1", expression: '"foo1" + "Value"' },
    ],
    validations: validation ?? [],
  };
}

/** Undefined where the API server does not take the policy, so that no controller ever sees it. */
async function create(
  client: ClientSet,
  name: string,
  spec: ValidatingAdmissionPolicySpec,
): Promise<readonly [string, ValidatingAdmissionPolicySpec] | undefined> {
  try {
    await client
      .clientFor<ValidatingAdmissionPolicy>(resources.validatingAdmissionPolicies)
      .create({ metadata: { name }, spec });
    return [name, spec];
  } catch (error) {
    if (isInvalid(error)) return undefined;
    throw error;
  }
}

async function createAll(
  client: ClientSet,
  prefix: string,
  specs: readonly ValidatingAdmissionPolicySpec[],
): Promise<readonly (readonly [string, ValidatingAdmissionPolicySpec])[]> {
  const created = await Promise.all(
    specs.map(async (spec, index) => create(client, `${prefix}-${index}`, spec)),
  );
  return created.filter((one) => one !== undefined);
}

async function checkedByGo(
  client: ClientSet,
  wanted: number,
): Promise<ReadonlyMap<string, readonly ExpressionWarning[]>> {
  let items: readonly ValidatingAdmissionPolicy[] = [];
  await until("all policies were checked", async () => {
    ({ items } = await client
      .clientFor<ValidatingAdmissionPolicy>(resources.validatingAdmissionPolicies)
      .list());
    return items.filter(({ status }) => status?.observedGeneration !== undefined).length >= wanted;
  });
  return new Map(
    items.map(({ metadata, status }) => [
      metadata.name ?? "",
      plain(status?.typeChecking?.expressionWarnings ?? []),
    ]),
  );
}

if (goProgram === undefined) throw new Error("there is no Go program (make real builds it)");
const world = await newWorld();
const kinds = await new PolicyChecker(world.client).kinds();
await world.stop();
const cluster = await startRealCluster();
const clients = await clientsOf(cluster.kubeconfig);
const client = clients.client("test");
const go = new Daemon(goProgram, [
  `--kubeconfig=${cluster.kubeconfig}`,
  "--leader-elect=false",
  "--secure-port=0",
  "--controllers=validatingadmissionpolicy-status-controller",
  "--kube-api-qps=500",
  "--kube-api-burst=500",
]);
try {
  const subjects = kinds.filter(({ plural }) => SUBJECTS.has(plural));
  const expressions = expressionsOfUpstream();
  const about = (validationOf: (expression: string) => object): readonly ValidatingAdmissionPolicySpec[] =>
    expressions.flatMap((expression, index) => {
      const kind = subjects[index % subjects.length];
      return kind === undefined
        ? []
        : [policyAbout(kind, [{ expression: "true", ...validationOf(expression) }])];
    });
  const taken = [
    ...(await createAll(
      client,
      "upstream",
      about((expression) => ({ expression })),
    )),
    ...(await createAll(
      client,
      "message",
      about((messageExpression) => ({ messageExpression })),
    )),
  ];
  const known = taken.length;
  const made = new RandomPolicies(seededRandom(Number(seed)), kinds);
  for (let turn = 0; taken.length < known + Number(count); turn++)
    taken.push(
      ...(await createAll(
        client,
        `made-${turn}`,
        Array.from({ length: AT_ONCE }, () => made.next()),
      )),
    );
  const answers = await checkedByGo(client, taken.length);
  const checker = new PolicyChecker(client);
  let differing = 0;
  for (const [name, spec] of taken) {
    const ours = await checker.warningsOf(spec);
    if (JSON.stringify(ours) === JSON.stringify(answers.get(name))) continue;
    differing++;
    if (differing <= 10) console.log(JSON.stringify({ spec, answer: answers.get(name), ours }, null, 1));
  }
  const kept = taken.slice(0, known + KEPT).map(([name, spec]) => ({ spec, answer: answers.get(name) }));
  writeFileSync(new URL("policies.json.br", import.meta.url), brotliCompressSync(JSON.stringify(kept)));
  const warned = [...answers.values()].filter((answer) => answer.length > 0).length;
  console.log(
    `${taken.length} compared, ${known} of them with expressions of upstream's tests; ${warned} with warnings, ${differing} differ, ${kept.length} kept`,
  );
  if (differing > 0) process.exitCode = 1;
} finally {
  await go.end();
  await clients.close();
  await cluster.stop();
}
