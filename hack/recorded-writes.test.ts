import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Who else writes, past the kit that remembers it, and why nobody decides on what the cache has of it before. */
const UNRECORDED: Readonly<Record<string, string>> = {
  "controllers/attachdetach/apply.ts":
    "a VolumeAttachment has the name of what it is of, and what was begun is remembered until the cache shows its end",
  "controllers/attachdetach/sync-node.ts": "the answer of the server counts until the cache is as new",
  "controllers/bootstrapsigner/apply.ts": "there is one ConfigMap, and its version is that which was read",
  "controllers/certificates/cleaner/sync.ts": "deletions with their uid",
  "controllers/certificates/pod-request-cleaner/sync.ts": "deletions with their uid",
  "controllers/certificates/trust-bundle/apply.ts": "the name of the bundle says what is in it",
  "controllers/disruption/apply.ts": "the condition of a pod is withdrawn once more with the same result",
  "controllers/endpoints/apply.ts": "of a Service that is gone nothing is written again",
  "controllers/garbagecollector/apply.ts": "each object is read live before it is touched",
  "controllers/namespace/apply.ts": "what was refused for its version is read live and written once more",
  "controllers/namespace/sync-resource.ts": "what is left is listed live",
  "controllers/nodelifecycle/apply.ts": "what a node and its pods are told is compared anew in each round",
  "controllers/podgc/apply.ts": "a pod is deleted in the same breath as it is failed, with its uid",
  "controllers/resourcepoolstatus/sync-expired.ts": "deletions with their uid",
  "controllers/root-ca/sync.ts": "the name and the content of the ConfigMap are always the same",
  "controllers/serviceaccount/default-account/sync.ts": "there is one name",
  "controllers/serviceaccount/legacy-token-cleaner/apply.ts": "tokens are read a day apart",
  "controllers/serviceaccount/token/apply.ts": "each Secret and account is read live before it is written",
  "controllers/serviceaccount/token/sync-account.ts": "deletions with their uid",
  "controllers/serviceaccount/token/sync-secret.ts": "deletions with their uid",
  "controllers/storageversionmigrator/apply.ts": "a definition is read live, and written in that version",
  "controllers/storageversionmigrator/sync-objects.ts":
    "each object is written in the version that was listed",
  "controllers/tokencleaner/sync.ts": "deletions with their uid",
  "controllers/ttlafterfinished/apply.ts": "deletions with their uid",
};

const WRITE =
  /\b(?:\w*[cC]lient\s*\.(?:create|update|updateStatus|patch|apply|delete|deleteCollection)|deleteThis)\(/;

test("controllers write through what remembers it, or say why not", () => {
  const writers = globSync("controllers/**/*.ts")
    .filter((file) => !/\.test(-data)?\.ts$/.test(file))
    .filter((file) => WRITE.test(readFileSync(file, "utf8")));
  expect(writers.toSorted()).toEqual(Object.keys(UNRECORDED).toSorted());
});

test.each([
  ["await client.updateStatus({ ...quota, status }, {}, signal)", true],
  ["await context.claimClient.create(claim, {}, signal)", true],
  ["await deleteThis(context.client, token.metadata, signal)", true],
  ["await context.writes.updateStatus(sync, job)", false],
  ["await claimWrites.create(sync, claim)", false],
  ["await client.get({ namespace, name })", false],
])("%s is a write past the kit: %s", (source, expected) => {
  expect(WRITE.test(source)).toBe(expected);
});
