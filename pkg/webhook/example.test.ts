import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { silentLogger } from "../log/logger.ts";
import { answerAdmission } from "./answer-admission.ts";
import { websiteWebhook } from "./example.test-data.ts";

test("the README shows these very webhooks", () => {
  const source = readFileSync(new URL("example.test-data.ts", import.meta.url), "utf8");
  const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");
  expect(readme).toContain(`\`\`\`ts\n${source}\`\`\``);
});

test("the site of the house stays", async () => {
  const { validating: hook } = websiteWebhook;
  if (hook === undefined) throw new Error("there is no such webhook");
  const site = {
    apiVersion: "example.com/v1",
    kind: "Website",
    metadata: { name: "a" },
    spec: { host: "www.example.com" },
  };
  const review = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: { uid: "1", operation: "DELETE", oldObject: site },
  };
  const { signal } = new AbortController();
  const answer = await answerAdmission(hook, review, { log: silentLogger, signal, isMutating: false });
  expect(answer).toMatchObject({
    response: { allowed: false, status: { message: "the site of the house stays" } },
  });
});
