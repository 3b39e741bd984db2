import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The one place that reads by name and compares the uid. */
const READ_LIVE = "pkg/controller/read-live.ts";

/** Who else asks the server for an object by its name, and why no uid can be compared or who compares it. */
const READS_BY_NAME: Readonly<Record<string, string>> = {
  "controllers/attachdetach/apply.ts":
    "a VolumeAttachment's name is a hash of what it is of, and a volume is where its node's name is",
  "controllers/deployment/apply.ts": "looks whose ReplicaSet has the name that a create was refused for",
  "pkg/controller/history/owned-revisions.ts":
    "looks what revision has the name that a create was refused for",
  "controllers/podgc/sync.ts": "asks whether a node of the name exists: pods name their node and know no uid",
  "controllers/storageversiongc/sync-servers.ts":
    "asks whether a Lease of the name exists: StorageVersions name servers by it and know no uid",
  "controllers/storageversionmigrator/apply.ts":
    "a migration names its resource, and so its definition, without a uid",
  "controllers/tainteviction/sync-live-nodes.ts":
    "asks whether a node of the name exists: pods name their node and know no uid",
  "controllers/resourceclaim/sync-made-claims.ts":
    "looks whose claim has the name that a create was refused for, or that a pod was told",
  "controllers/cronjob/apply.ts": "looks whose Job has the name that a create was refused for",
  "controllers/persistentvolume/sync-live.ts": "claims name their volume and know no uid",
  "controllers/persistentvolume/sync-recycle.ts":
    "looks whose pod has the name that a create was refused for",
  "controllers/endpoints/apply.ts":
    "asks whether a Service of the name exists: Endpoints name theirs and know no uid",
  "controllers/serviceaccount/legacy-token-cleaner/sync.ts": "reads the one ConfigMap of that name",
  "controllers/serviceaccount/token/apply.ts":
    "a token that was never filled names its account without a uid",
  "controllers/serviceaccount/token/sync-secret.ts":
    "a token that was never filled names its account without a uid",
};

const READ_BY_NAME = /\b\w*[cC]lient(?:For(?:<[^>]*>)?\([^)]*\))?\s*\.get\(/;

test("objects are read by name in one place, which compares the uid", () => {
  const readers = globSync(["controllers/**/*.ts", "pkg/controller/**/*.ts"])
    .filter((file) => !/\.test(-data)?\.ts$/.test(file) && file !== READ_LIVE)
    .filter((file) => READ_BY_NAME.test(readFileSync(file, "utf8")));
  expect(readers.toSorted()).toEqual(Object.keys(READS_BY_NAME).toSorted());
});

test.each([
  ["await client.get({ namespace, name }, {}, signal)", true],
  ["await context.podClient.get(ref)", true],
  ["env.client.clientFor<Node>(resources.nodes).get({ name })", true],
  ["context.pods.get(namespace, name)", false],
  ["clients.get(group)", false],
])("%s is a read by name: %s", (source, expected) => {
  expect(READ_BY_NAME.test(source)).toBe(expected);
});
