import type { Mutant } from "./mutant.ts";

const kubeconfigs = ["pkg/client/config/access.test.ts"];
const pods = ["test/integration/client-pods.test.ts"];
const helpers = ["test/integration/client-helpers.test.ts"];

export const packageMutants: readonly Mutant[] = [
  {
    name: "of two kubeconfigs the last one counts",
    file: "pkg/client/config/kubeconfig.ts",
    find: `  for (const { path, document } of files) {`,
    replace: `  for (const { path, document } of files.toReversed()) {`,
    tests: kubeconfigs,
  },
  {
    name: "paths in a kubeconfig are relative to the first of its list",
    file: "pkg/client/config/kubeconfig.ts",
    find: `    if (entry !== undefined) return { entry, directory: dirname(path) };`,
    replace: `    if (entry !== undefined) return { entry, directory: dirname(files[0]?.path ?? path) };`,
    tests: ["pkg/client/config/access.test.ts"],
  },
  {
    name: "the namespace of a context is lost",
    file: "pkg/client/config/kubeconfig.ts",
    find: `    ...(context.namespace ? { namespace: context.namespace } : {}),`,
    replace: ``,
    tests: kubeconfigs,
  },
  {
    name: "an empty file in $KUBECONFIG stops everything",
    file: "pkg/client/config/access.ts",
    find: `text.trim() === "" ? undefined : `,
    replace: ``,
    tests: kubeconfigs,
  },
  {
    name: "a process in a cluster takes no notice of its namespace",
    file: "pkg/client/config/access.ts",
    find: `    ...(namespace === "" ? {} : { namespace }),`,
    replace: ``,
    tests: kubeconfigs,
  },
  {
    name: "every command that runs has succeeded",
    file: "pkg/client/pods/processes.ts",
    find: `return Number(code);`,
    replace: `return 0;`,
    tests: pods,
  },
  {
    name: "sessions end without a good-bye",
    file: "pkg/client/pods/processes.ts",
    find: `      await stream.close();
      const exitCode`,
    replace: `      const exitCode`,
    tests: ["pkg/client/pods/processes.test.ts"],
  },
  {
    name: "letters that are cut in two are lost from a log",
    file: "pkg/client/pods/logs.ts",
    find: `decoder.decode(chunk, { stream: true })`,
    replace: `new TextDecoder().decode(chunk)`,
    tests: ["pkg/client/pods/logs.test.ts"],
  },
  {
    name: "a client masks half of what it sends",
    file: "pkg/client/http/web-socket.ts",
    find: `      applyMask(payload, mask);
    } else`,
    replace: `      applyMask(payload.subarray(0, payload.length >> 1), mask);
    } else`,
    tests: ["pkg/client/http/open-web-socket.test.ts"],
  },
  {
    name: "a session waits for ever for a peer that is gone",
    file: "pkg/client/http/open-web-socket.ts",
    find: `if (clock.monotonicMs() - heardMs >= MOST_SILENCE_MS)`,
    replace: `if (clock.monotonicMs() - heardMs >= MOST_SILENCE_MS * 1_000)`,
    tests: ["pkg/client/http/open-web-socket.test.ts"],
  },
  {
    name: "what a peer answers is no sign of life",
    file: "pkg/client/http/open-web-socket.ts",
    find: `if (socket.bytesRead !== bytes || socket.readableLength > 0)`,
    replace: `if (socket.readableLength > 0)`,
    tests: ["pkg/client/http/open-web-socket.test.ts"],
  },
  {
    name: "an archive leads out of its directory",
    file: "pkg/client/pods/copy.ts",
    find: `place === target || place.startsWith(target + sep)`,
    replace: `place === target || place.startsWith(target)`,
    tests: ["pkg/client/pods/copy.test.ts"],
  },
  {
    name: "the last block of a file in an archive is not filled",
    file: "pkg/client/pods/tar.ts",
    find: `if (size % BLOCK > 0)`,
    replace: `if (size % BLOCK > 1)`,
    tests: ["pkg/client/pods/tar.test.ts"],
  },
  {
    name: "names of a ConfigMap's keys are taken for those of fields",
    file: "pkg/client/wire.ts",
    find: `isMap ? name : wireName(name)`,
    replace: `wireName(name)`,
    tests: ["pkg/client/wire.test.ts"],
  },
  {
    name: "who waits for a deletion does not hear of it",
    file: "pkg/client/wait-for.ts",
    find: `type === "DELETED" ? undefined : object`,
    replace: `object`,
    tests: helpers,
  },
  {
    name: "a rehearsal of an eviction evicts",
    file: "pkg/client/scale.ts",
    find: `...(dryRun === true ? { dryRun: ["All"] } : {})`,
    replace: `...(dryRun === true ? {} : {})`,
    tests: helpers,
  },
  {
    name: "an eviction that is refused is tried again and again",
    file: "pkg/client/scale.ts",
    find: `{ ...request, once: true }`,
    replace: `request`,
    tests: helpers,
  },
  {
    name: "a kind that has come since is not found",
    file: "pkg/client/kinds.ts",
    find: `    this.#mapper.reset();`,
    replace: ``,
    tests: helpers,
  },
  {
    name: "whoever does not lead opens sessions",
    file: "pkg/leader/fenced-transport.ts",
    find: `        const check = checkOf(request.path);
        check();`,
    replace: `        const check = checkOf(request.path);`,
    tests: ["pkg/leader/fenced-transport.test.ts"],
  },
  {
    name: "clocks change a moment late",
    file: "pkg/api/cron/time-zone.ts",
    find: `this.#farthest(nowMs, SPAN_MS) + 1`,
    replace: `this.#farthest(nowMs, SPAN_MS) + 2`,
    tests: ["pkg/api/cron/time-zone.test.ts"],
  },
  {
    name: "what is reached into may come in another version",
    file: "hack/package/manifest.ts",
    find: `PINNED.has(name) ? version : `,
    replace: ``,
    tests: ["hack/package/manifest.test.ts"],
  },
  {
    name: "an operator without examples gets too few permissions, and nobody is told",
    file: "cmd/kcm/manifests/doubts.ts",
    find: `examples.length > 0`,
    replace: `examples.length >= 0`,
    tests: ["cmd/kcm/manifests/doubts.test.ts"],
  },
  {
    name: "an operator whose definition is elsewhere gets too few permissions, and nobody is told",
    file: "cmd/kcm/manifests/doubts.ts",
    find: `!known.has(name)`,
    replace: `known.size === 0`,
    tests: ["cmd/kcm/manifests/doubts.test.ts"],
  },
];
