import { type Mutant, mutantsOf } from "./mutant.ts";

const root = "controllers/certificates";
const podCleaner = `${root}/pod-request-cleaner`;
const bundle = `${root}/trust-bundle`;

const cleanPods = mutantsOf("podcertificaterequest-cleaner", [`${podCleaner}/sync.test.ts`]);
const publish = mutantsOf("trust-bundle-publisher", [
  `${bundle}/sync.test.ts`,
  `${bundle}/bundle-plan.test.ts`,
]);

export const certificateBetasMutants: readonly Mutant[] = [
  // Requests of pods.
  cleanPods("requests stay for an hour", `${podCleaner}/age.ts`, "15 * 60_000", "60 * 60_000"),
  cleanPods("requests go after five minutes", `${podCleaner}/age.ts`, "15 * 60_000", "5 * 60_000"),
  cleanPods("the limit itself is young", `${podCleaner}/age.ts`, "nowMs >=", "nowMs >"),
  cleanPods("young requests go", `${podCleaner}/age.ts`, "nowMs >=", "nowMs <="),
  cleanPods(
    "all have been there since 1970",
    `${podCleaner}/age.ts`,
    "parseTime(metadata.creationTimestamp)",
    "parseTime(undefined)",
  ),
  cleanPods(
    "rounds are an hour apart",
    `${podCleaner}/controller.ts`,
    "const PERIOD_MS = 300_000;",
    "const PERIOD_MS = 3_600_000;",
  ),
  cleanPods(
    "rounds are a minute apart",
    `${podCleaner}/controller.ts`,
    "const PERIOD_MS = 300_000;",
    "const PERIOD_MS = 60_000;",
  ),
  cleanPods(
    "rounds begin late",
    `${podCleaner}/controller.ts`,
    'name: "rounds",',
    'waitsFirst: true, name: "rounds",',
  ),
  cleanPods(
    "the gate is another",
    `${podCleaner}/controller.ts`,
    '["PodCertificateRequest"]',
    '["ClusterTrustBundle"]',
  ),
  cleanPods(
    "there is no gate",
    `${podCleaner}/controller.ts`,
    'featureGates: ["PodCertificateRequest"],',
    "",
  ),
  cleanPods(
    "one that cannot be deleted ends the round",
    `${podCleaner}/sync.ts`,
    "signal.throwIfAborted();",
    "throw error;",
  ),
  cleanPods(
    "nothing is deleted",
    `${podCleaner}/sync.ts`,
    "if (isOver(request, nowMs)) over.push(request);",
    "",
  ),
  cleanPods(
    "everything is deleted",
    `${podCleaner}/sync.ts`,
    "if (isOver(request, nowMs)) over.push(request);",
    "over.push(request);",
  ),
  cleanPods(
    "the time is that of the start",
    `${podCleaner}/sync.ts`,
    "const nowMs = clock.nowMs();",
    "const nowMs = clock.nowMs() - clock.monotonicMs();",
  ),
  cleanPods(
    "requests for signatures are read",
    `${podCleaner}/context.ts`,
    "kit.reads(resources.podCertificateRequests,",
    "kit.reads(resources.certificateSigningRequests,",
  ),
  cleanPods(
    "requests for signatures are deleted",
    `${podCleaner}/context.ts`,
    "client.clientFor(resources.podCertificateRequests)",
    "client.clientFor(resources.certificateSigningRequests)",
  ),
  cleanPods(
    "a failure is forgotten",
    `${podCleaner}/sync.ts`,
    'log.error(error, "A request for a certificate of a pod could not be deleted", { pcr: keyOf(request) });',
    "void log;",
  ),

  // Trust bundles.
  publish(
    "a bundle of other contents stays",
    `${bundle}/bundle-plan.ts`,
    "if (found.spec.trustBundle === trustBundle) return { remove };",
    'if (found.spec.trustBundle !== "") return { remove };',
  ),
  publish(
    "a bundle that is right is written again",
    `${bundle}/bundle-plan.ts`,
    "if (found.spec.trustBundle === trustBundle) return { remove };",
    "",
  ),
  publish(
    "bundles of others go",
    `${bundle}/bundle-plan.ts`,
    "bundle !== found && bundle.spec.signerName === signerName",
    "bundle !== found",
  ),
  publish(
    "former bundles stay",
    `${bundle}/bundle-plan.ts`,
    "bundle !== found && bundle.spec.signerName === signerName",
    "false",
  ),
  publish("the bundle itself goes", `${bundle}/bundle-plan.ts`, "bundle !== found && bundle", "bundle"),
  publish(
    "what others have set is lost",
    `${bundle}/bundle-plan.ts`,
    "update: { ...found, spec:",
    "update: { ...found, metadata: { ...found.metadata, labels: {} }, spec:",
  ),
  publish("the hash is a whole one", `${bundle}/bundle-plan.ts`, "hash.slice(0, 24)", "hash"),
  publish(
    "slashes stay in names",
    `${bundle}/bundle-plan.ts`,
    'signerName.replaceAll("/", ":")',
    "signerName",
  ),
  publish(
    "the signer is another",
    `${bundle}/bundle-plan.ts`,
    '"kubernetes.io/kube-apiserver-serving"',
    '"kubernetes.io/kube-apiserver-client"',
  ),
  publish(
    "the hash is that of the name",
    `${bundle}/context.ts`,
    ".update(trustBundle)",
    ".update(SIGNER_NAME)",
  ),
  publish(
    "changes of bundles wake nobody",
    `${bundle}/sync-start.ts`,
    "bundles.wakes(queue, (_, wake) => wake(SIGNER_NAME));",
    "bundles.hears(() => undefined);",
  ),
  publish("an empty list wakes nobody", `${bundle}/sync-start.ts`, "queue.work.add(SIGNER_NAME);", ""),
  publish(
    "the alpha is never asked for",
    `${bundle}/context.ts`,
    "  resources.clusterTrustBundlesV1alpha1,\n",
    "",
  ),
  publish(
    "the server is asked once",
    `${bundle}/sync-start.ts`,
    "await sleep(clock, PERIOD_MS, signal);",
    "await sleep(clock, 10 ** 9, signal);",
  ),
  publish(
    "what the server said first counts for ever",
    `${bundle}/sync-start.ts`,
    "client.discovery.invalidate();",
    "",
  ),
  publish(
    "a failure of discovery is the end",
    `${bundle}/sync-start.ts`,
    "signal.throwIfAborted();\n      log.error",
    "throw error;\n      log.error",
  ),
  publish(
    "nothing is published as something",
    `${bundle}/controller.ts`,
    'if (context.wanted.trustBundle === "") return;',
    "",
  ),
  publish(
    "former bundles go before the new one is there",
    `${bundle}/apply.ts`,
    "if (create !== undefined) await client.create(create, {}, signal);\n",
    "for (const one of remove) await deleteThis(client, one.metadata, signal);\n  if (create !== undefined) await client.create(create, {}, signal);\n",
  ),
  publish("syncs are not counted", `${bundle}/sync.ts`, "context.syncs.inc({ code });", ""),
  publish(
    "syncs are not timed",
    `${bundle}/sync.ts`,
    "context.durations.observe((clock.monotonicMs() - startMs) / 1_000, { code });",
    "void startMs;",
  ),
  publish(
    "every sync counts as a success",
    `${bundle}/sync.ts`,
    "code = statusCodeOf(error);",
    "void statusCodeOf(error);",
  ),
  publish("a failure is forgotten", `${bundle}/sync.ts`, "    throw error;\n", "    return {};\n"),
];
