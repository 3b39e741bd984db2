// Parsed by swc, as there is no JavaScript API of TypeScript 7 yet; the hint that tsc is missing can be ignored.
const tests = "(^test/|\\.test(-data)?\\.ts$)";
// ranks of pkg/: a package imports its own rank or lower
const rank = [
  ["api", "clock", "endpoints"],
  ["cel", "log", "metrics", "pki", "tokens"],
  ["client", "workqueue"],
  ["apiserver"],
  ["crd", "webhook"],
  ["cache", "leader", "events"],
  ["controller"],
  ["cluster", "manager"],
  ["testing"],
];
const up = rank.slice(0, -1).map((dirs, i) => ({
  name: `pkg-up-${i}`,
  severity: "error",
  from: { path: `^pkg/(${dirs.join("|")})/`, pathNot: tests },
  to: {
    path: `^pkg/(${rank
      .slice(i + 1)
      .flat()
      .join("|")})/`,
  },
}));
module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    ...up,
    {
      name: "pkg-knows-no-controller",
      severity: "error",
      from: { path: "^pkg/" },
      to: { path: "^(controllers|cmd)/" },
    },
    {
      name: "production-imports-no-test-bed",
      severity: "error",
      // cmd/kcm runs the embedded cluster for its users; cmd/kube-controller-manager is what clusters run.
      from: {
        path: "^(cmd/kube-controller-manager|controllers|pkg/(?!apiserver/|cluster/|crd/|testing/))",
        pathNot: tests,
      },
      to: { path: "^pkg/(apiserver|cluster|testing)/" },
    },
    {
      name: "definitions-are-checked-as-the-server-does",
      severity: "error",
      // By its very rules, of which nothing serves or keeps anything.
      from: { path: "^pkg/crd/", pathNot: tests },
      to: {
        path: "^pkg/(apiserver|cluster)/",
        pathNot: "^pkg/apiserver/crd/(definition-checks|default-values)\\.ts$",
      },
    },
    {
      name: "controllers-are-islands",
      severity: "error",
      from: { path: "^controllers/([^/]+)/" },
      to: { path: "^(controllers|cmd)/", pathNot: "^controllers/$1/" },
    },
    {
      name: "controllers-are-wired-with-the-kit",
      severity: "error",
      from: { path: "^controllers/", pathNot: tests },
      to: {
        path: "^pkg/(workqueue/work-queue|controller/(worker|expectations|pod-control|history|reasons))\\.ts$",
      },
    },
    {
      name: "decisions-are-pure",
      severity: "error",
      from: {
        path: "^controllers/[^/]+/",
        pathNot: "(/(controller|handlers|context|keys|metrics|sync[a-z-]*|apply)|\\.test(-data)?)\\.ts$",
      },
      to: {
        pathNot:
          "^(pkg/(api|cel|endpoints)/|controllers/[^/]+/(?!(controller|handlers|context|keys|metrics|sync[a-z-]*|apply)\\.ts))",
      },
    },
    {
      name: "only-cmd-sees-real",
      severity: "error",
      // What people call to begin with has the real clock where they bring none; and they can have it to hand it on.
      from: {
        pathNot:
          "^(cmd|test|hack|pkg/clock)/|^pkg/(client/connect|manager/host|testing/bed)\\.ts$|\\.test\\.ts$",
      },
      to: { path: "^pkg/clock/real\\.ts$" },
    },
    {
      name: "http-lives-in-cmd",
      severity: "error",
      from: { path: "^(pkg|controllers)/" },
      to: { path: "node_modules/fastify/" },
    },
    {
      name: "prom-client-lives-in-metrics",
      severity: "error",
      from: { pathNot: "^(pkg/metrics|node_modules)/" },
      to: { path: "node_modules/prom-client/" },
    },
    {
      name: "pino-lives-in-log",
      severity: "error",
      from: { pathNot: "^(pkg/log|node_modules)/" },
      to: { path: "node_modules/pino/" },
    },
    {
      name: "no-controller-in-the-world-around-a-manager",
      severity: "error",
      // What is measured and tried there would do its work beside it.
      from: { path: "^(test/harness/hollow-world|hack/bench/compare/plant)\\.ts$" },
      to: { path: "^(controllers|cmd)/", reachable: true },
    },
    {
      name: "nothing-imports-tests",
      severity: "error",
      // The bench and the generators run the servers that the tests run.
      from: {
        pathNot: `${tests}|^hack/(bench/|scratch-api-server|print-certificate-cases|record-certificate-requests|generate-pod-security-cases)`,
      },
      to: { path: tests },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { extensions: [".ts", ".js"] },
  },
};
