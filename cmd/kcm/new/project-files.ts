import type { Project } from "./project.ts";
import {
  controllerSource,
  controllerTest,
  definitionSource,
  devSource,
  mainSource,
} from "./project-sources.ts";

const NODE = "26";
/** Those of this very package, which a test compares. */
export const VERSIONS = {
  "kube-controller-manager": "0.36.0",
  "@types/node": "26.6.6",
  typescript: "7.0.2",
  vitest: "5.1.0",
} as const;

/** The files of the project, by path. */
export function projectFiles(project: Project): Readonly<Record<string, string>> {
  return {
    "package.json": packageJson(project),
    "tsconfig.json": tsconfig(),
    ".gitignore": "node_modules\n",
    ".dockerignore": "node_modules\n.git\n",
    Dockerfile: dockerfile(),
    "README.md": readme(project),
    ".github/workflows/ci.yaml": workflow(),
    "config/example.yaml": example(project),
    "src/definition.ts": definitionSource(project),
    "src/controller.ts": controllerSource(project),
    "src/controller.test.ts": controllerTest(project),
    "src/main.ts": mainSource(project),
    "src/dev.ts": devSource(project),
  };
}

function packageJson({ name, source }: Project): string {
  const content = {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: `>=${NODE}` },
    scripts: {
      dev: "node src/dev.ts",
      start: "node src/main.ts",
      test: "vitest run --testTimeout=30000",
      check: "tsc --noEmit",
      manifests: "kcm manifests src/controller.ts > config/operator.yaml",
      image: `docker build -t ${name} .`,
    },
    dependencies: { "kube-controller-manager": source ?? `^${VERSIONS["kube-controller-manager"]}` },
    devDependencies: {
      "@types/node": `^${VERSIONS["@types/node"]}`,
      typescript: `^${VERSIONS.typescript}`,
      vitest: `^${VERSIONS.vitest}`,
    },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function tsconfig(): string {
  const compilerOptions = {
    target: "esnext",
    module: "nodenext",
    types: ["node"],
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  };
  return `${JSON.stringify({ compilerOptions, include: ["src"] }, undefined, 2)}\n`;
}

function dockerfile(): string {
  return `# Images without a shell lack libatomic, which Node.js needs since version 25.
FROM node:${NODE}-slim
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev && npm cache clean --force
COPY src src
# Nearly all is done by one thread: memory that is set aside for others would lie idle.
ENV MALLOC_ARENA_MAX=1
# By number, so that a cluster can see that it is not root.
USER 1000
ENTRYPOINT ["node", "src/main.ts"]
`;
}

function workflow(): string {
  return `name: CI
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: ${NODE}
          cache: npm
      - run: npm ci
      - run: npm run check
      - run: npm test
      - run: npm run manifests
`;
}

function example({ group, kind }: Project): string {
  return `apiVersion: ${group}/v1
kind: ${kind}
metadata:
  name: example
spec:
  image: nginx:1.29
  replicas: 2
`;
}

function readme({ name, kind }: Project): string {
  return `# ${name}

An operator: for every ${kind} it keeps a Deployment with the image and the replicas that the ${kind} asks for.

\`\`\`
npm install
npm run dev        # runs it, with a cluster of its own in one process; Ctrl-C ends both
npm test           # in a cluster in memory, on a clock that the tests turn
npm run check      # types
\`\`\`

While \`npm run dev\` runs:

\`\`\`
export KUBECONFIG=~/.kcm/${name}/kubeconfig
kubectl apply -f config/example.yaml
kubectl get ${kind.toLowerCase()}
\`\`\`

In a cluster:

\`\`\`
npm run image
npm run manifests  # config/operator.yaml: definition, permissions, Deployment
kubectl apply -f config/operator.yaml
\`\`\`

| file | what is in it |
|---|---|
| \`src/definition.ts\` | the custom resource: its schema, from which its type follows |
| \`src/controller.ts\` | what is done for every ${kind}; \`examples\` are those by which its permissions are found out |
| \`src/main.ts\` | the program |
`;
}
