import { describe, expect, test } from "vitest";
import { asStored } from "../../test/harness/stored.ts";
import { deepFreeze } from "../api/freeze.ts";
import type { OwnerReference, Stored } from "../api/object.ts";
import { newControllerRef } from "../api/owner-references.ts";
import { podFromTemplate } from "../api/pod-template.ts";
import { resources } from "../api/resources.ts";
import type { Pod, PodTemplateSpec } from "../api/types/core-v1.gen.ts";
import { ApiError } from "../client/errors.ts";
import { silentLogger } from "../log/logger.ts";
import { PodControl, type PodControlOptions } from "./pod-control.ts";

const owner = asStored({ metadata: { name: "web", namespace: "shop", uid: "owner-uid" } });
const controller = newControllerRef(owner, resources.replicaSets);
const signal = new AbortController().signal;
const template: PodTemplateSpec = deepFreeze({
  metadata: { labels: { app: "web" }, annotations: { note: "x" }, finalizers: ["f"], name: "ignored" },
  spec: { containers: [{ name: "c", image: "i" }] },
});

interface Said {
  readonly cause?: string;
  readonly message?: string;
}

function failure(
  code: number,
  reason: string,
  { cause, message = "the server says no" }: Said = {},
): ApiError {
  return new ApiError(message, {
    code,
    reason,
    method: "POST",
    path: "/pods",
    ...(cause === undefined ? {} : { details: { causes: [{ reason: cause }] } }),
  });
}

function setUp(error?: unknown, asStatus = false) {
  const requests: unknown[] = [];
  const events: string[] = [];
  const written: [string | undefined, OwnerReference | undefined][] = [];
  const answer = async (request: unknown, pod: Pod): Promise<Stored<Pod>> => {
    requests.push(request);
    if (error !== undefined) throw error;
    return asStored(pod);
  };
  const options: PodControlOptions = {
    pods: {
      create: async (pod) =>
        answer({ create: pod }, { ...pod, metadata: { ...pod.metadata, name: "web-abcde" } }),
      patch: async (ref, patch) =>
        answer({ ref, patch }, { metadata: { ...ref, ownerReferences: [controller] } }),
      delete: async (ref, options) => {
        const deleted = await answer(
          { delete: ref, options },
          { metadata: { ...ref, ownerReferences: [controller] } },
        );
        return asStatus ? { kind: "Status", status: "Success" } : deleted;
      },
    },
    events: {
      event: (regarding, type, reason, message) =>
        void events.push(`${regarding.metadata.name} ${type} ${reason} ${message}`),
    },
    log: silentLogger,
    onWrite: (pod, reference) => void written.push([pod.metadata.name, reference]),
  };
  return { control: new PodControl(options), requests, events, written };
}

describe("creating", () => {
  test("tells the recorder and whoever keeps track of writes", async () => {
    const { control, requests, events, written } = setUp();
    const pod = await control.create({ template }, owner, controller, signal);
    expect(pod.metadata.name).toBe("web-abcde");
    expect(requests).toEqual([{ create: podFromTemplate(template, owner, controller) }]);
    expect(events).toEqual(["web Normal SuccessfulCreate Created pod: web-abcde"]);
    expect(written).toEqual([["web-abcde", controller]]);
  });

  test("takes another prefix of the name when one is given", async () => {
    const { control, requests } = setUp();
    await control.create({ template, generateName: "hello-" }, owner, controller, signal);
    expect(requests).toMatchObject([{ create: { metadata: { generateName: "hello-" } } }]);
  });

  test("that the server refuses is thrown and told in an event", async () => {
    const refusal = failure(403, "Forbidden");
    const { control, events, written } = setUp(refusal);
    await expect(control.create({ template }, owner, controller, signal)).rejects.toBe(refusal);
    expect(events).toEqual(["web Warning FailedCreate Error creating: the server says no"]);
    expect(written).toEqual([]);
  });

  test("in a namespace that is being deleted fails without an event", async () => {
    const { control, events } = setUp(failure(403, "Forbidden", { cause: "NamespaceTerminating" }));
    await expect(control.create({ template }, owner, controller, signal)).rejects.toThrow(
      "the server says no",
    );
    expect(events).toEqual([]);
  });

  test.each([
    { change: { apiVersion: "" }, message: "controllerRef has empty APIVersion" },
    { change: { kind: "" }, message: "controllerRef has empty Kind" },
    { change: { controller: false }, message: "controllerRef.Controller is not set to true" },
    { change: { blockOwnerDeletion: false }, message: "controllerRef.BlockOwnerDeletion is not set" },
  ])("with $change asks the server nothing", async ({ change, message }) => {
    const { control, requests, events } = setUp();
    await expect(control.create({ template }, owner, { ...controller, ...change }, signal)).rejects.toThrow(
      message,
    );
    expect([requests, events]).toEqual([[], []]);
  });

  test.each([{}, { metadata: {} }, { metadata: { labels: {} } }])(
    "of the template %j without labels asks the server nothing",
    async (bare) => {
      const { control, requests } = setUp();
      await expect(control.create({ template: bare }, owner, controller, signal)).rejects.toThrow(
        "unable to create pods, no labels",
      );
      expect(requests).toEqual([]);
    },
  );
});

describe("deleting", () => {
  const ref = { namespace: "shop", name: "web-abcde" };
  const pod = asStored({ metadata: { ...ref, uid: "pod-uid" } });

  test("is told in an event", async () => {
    const { control, requests, events, written } = setUp();
    await control.delete(pod, owner, signal);
    expect(requests).toEqual([{ delete: ref, options: { preconditions: { uid: "pod-uid" } } }]);
    expect(written).toEqual([["web-abcde", controller]]);
    expect(events).toEqual(["web Normal SuccessfulDelete Deleted pod: web-abcde"]);
  });

  test("that is answered with a Status, which has no version, is told to nobody", async () => {
    const { control, written } = setUp(undefined, true);
    await control.delete(pod, owner, signal);
    expect(written).toEqual([]);
  });

  test.each([
    ["gone already", failure(404, "NotFound")],
    [
      "gone already, and another has its name,",
      failure(409, "Conflict", {
        message: "the UID in the precondition (a) does not match the UID in record (b).",
      }),
    ],
  ])("what is %s rejects as the server does, without an event", async (_, gone) => {
    const { control, events } = setUp(gone);
    await expect(control.delete(pod, owner, signal)).rejects.toBe(gone);
    expect(events).toEqual([]);
  });

  test("that fails is told in an event and thrown with its cause", async () => {
    const refusal = failure(500, "InternalError");
    const { control, events } = setUp(refusal);
    await expect(control.delete(pod, owner, signal)).rejects.toMatchObject({
      message: "unable to delete pods: the server says no",
      cause: refusal,
    });
    expect(events).toEqual(["web Warning FailedDelete Error deleting: the server says no"]);
  });
});

describe("patching", () => {
  const pod = { namespace: "shop", name: "web-abcde" };
  const patch = { type: "strategic", body: {} } as const;

  test("tells whoever keeps track of writes, with the controller that the answer shows", async () => {
    const { control, requests, written } = setUp();
    await control.patch(pod, patch, signal);
    expect(requests).toEqual([{ ref: pod, patch }]);
    expect(written).toEqual([["web-abcde", controller]]);
  });

  test("for a claim gives the pod with its new metadata", async () => {
    const { control, written } = setUp();
    const spec = { containers: [{ name: "c" }] };
    const claimed = await control.claim(
      asStored<Pod>({ metadata: { ...pod, uid: "u" }, spec }),
      patch,
      signal,
    );
    expect(claimed).toEqual({ metadata: { ...pod, ownerReferences: [controller] }, spec });
    expect(written).toEqual([["web-abcde", controller]]);
  });

  test("that fails is no write", async () => {
    const { control, written } = setUp(failure(404, "NotFound"));
    await expect(control.patch(pod, patch, signal)).rejects.toThrow("the server says no");
    expect(written).toEqual([]);
  });
});
