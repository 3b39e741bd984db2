import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Connected, connect } from "../../pkg/client/connect.ts";
import { RestMapper } from "../../pkg/client/rest-mapper.ts";
import { defineCrd } from "../../pkg/crd/define-crd.ts";
import { installCrds } from "../../pkg/crd/install-crds.ts";
import { servers, type TestServer } from "../harness/servers.ts";

const Late = defineCrd({
  group: "kept.example.com",
  version: "v1",
  kind: "Late",
  plural: "lates",
  scope: "Namespaced",
  spec: { type: "object" },
});

describe.each(servers)("what a server offers, kept on disk ($name)", ({ start }) => {
  let server: TestServer;
  let directory: string;
  const programs: Connected[] = [];
  /** A program that begins. */
  const begin = async (): Promise<Connected> => {
    const program = await connect({ kubeconfig: server.kubeconfig, discoveryCache: { directory } });
    programs.push(program);
    return program;
  };
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "offers-"));
    server = await start();
  });
  afterAll(async () => {
    await Promise.all(programs.map(async (program) => program.close()));
    await server.stop();
    await rm(directory, { recursive: true });
  });

  test("the next program knows it without asking, and a kind that came later is found by asking", async () => {
    const first = await begin();
    const asked = await first.discovery.surface();
    expect([asked.failures.size, first.discovery.isLive]).toEqual([0, true]);
    const second = await begin();
    expect(await second.discovery.surface()).toEqual(asked);
    const mapper = new RestMapper(second.discovery);
    expect(await mapper.resourceOf("apps/v1", "Deployment")).toMatchObject({ plural: "deployments" });
    expect(second.discovery.isLive).toBe(false);
    await installCrds(first, [Late]);
    expect(await mapper.resourceOf("kept.example.com/v1", "Late")).toMatchObject({ plural: "lates" });
    expect(second.discovery.isLive).toBe(true);
    const third = await begin();
    expect(await new RestMapper(third.discovery).kindOf("kept.example.com/v1", "lates")).toBe("Late");
    expect(third.discovery.isLive).toBe(false);
  });
});
