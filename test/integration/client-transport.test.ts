import { describe, expect, test } from "vitest";
import type { Credentials, TlsMaterial } from "../../pkg/client/http/identity.ts";
import type { TransportRequest, TransportResponse } from "../../pkg/client/transport.ts";
import { drain, failure, identityOf, TransportStage } from "../harness/transport-stage.ts";
import { until } from "../harness/until.ts";

const stage = TransportStage.use();

const GET: TransportRequest = { method: "GET", path: "/x" };
const WATCH: TransportRequest = { ...GET, endless: true };

describe("requests", () => {
  test("carry method, path with prefix and query, headers, and a JSON body", async () => {
    let seen: unknown;
    stage.handler = (request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        seen = { method: request.method, url: request.url, type: request.headers["content-type"], body };
        response.setHeader("Warning", ["a", "b"]);
        response.end('{"ok":true}');
      });
    };
    const response = await stage.transportTo({ path: "/prefix/" }).send({
      method: "PATCH",
      path: "/api/v1/x",
      query: new URLSearchParams({ q: "a b" }),
      headers: { "content-type": "application/merge-patch+json" },
      body: { name: "é" },
    });
    expect(await response.json()).toEqual({ ok: true });
    expect(seen).toEqual({
      method: "PATCH",
      url: "/prefix/api/v1/x?q=a+b",
      type: "application/merge-patch+json",
      body: '{"name":"é"}',
    });
    expect(response).toMatchObject({ status: 200, sentBytes: 13, receivedBytes: 11 });
    expect(response.headers["warning"]).toBe("a, b");
  });

  test("repeat the headers of an identity that have several values", async () => {
    let raw: string[] = [];
    stage.handler = (request, response) => {
      raw = request.rawHeaders;
      response.end("{}");
    };
    const credentials = { headers: { "impersonate-group": ["a", "b"] }, tls: stage.trust() };
    await (
      await stage.transportTo({ identity: identityOf(() => credentials), http1Only: true }).send(GET)
    ).json();
    const values = raw.filter((_, index) => raw[index - 1] === "impersonate-group");
    expect(values).toEqual(["a", "b"]);
  });

  test("are sent again once after a 401, if the identity has something new", async () => {
    stage.handler = (request, response) => {
      response.statusCode = request.headers.authorization === "Bearer good" ? 200 : 401;
      response.end("{}");
    };
    let current: Credentials = { headers: { authorization: "Bearer bad" }, tls: stage.trust() };
    const renewed: unknown[] = [];
    const identity = identityOf(
      () => current,
      async (rejected) => {
        renewed.push(rejected.headers["authorization"]);
        current = { headers: { authorization: "Bearer good" }, tls: current.tls };
        return true;
      },
    );
    expect((await stage.transportTo({ identity }).send({ ...GET, method: "POST", body: {} })).status).toBe(
      200,
    );
    expect(renewed).toEqual(["Bearer bad"]);
    const hopeless = identityOf(() => ({ headers: {}, tls: stage.trust() }));
    expect((await stage.transportTo({ identity: hopeless }).send(GET)).status).toBe(401);
  });
});

describe("aborts and refusals", () => {
  const outcome = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => "answered",
      (error: unknown) => error,
    );

  test("requests that are aborted at any moment of their dispatch leave the session in order", async () => {
    const transport = stage.transportTo();
    for (let hops = 0; hops < 40; hops++) {
      const reason = new Error("enough");
      const controllers = Array.from({ length: 4 }, () => new AbortController());
      const requests = controllers.map(async ({ signal }) =>
        outcome(transport.send({ method: "PATCH", path: "/x", body: { hops } }, signal)),
      );
      for (let hop = 0; hop < hops; hop++) await Promise.resolve();
      for (const controller of controllers) controller.abort(reason);
      for (const result of await Promise.all(requests)) expect([reason, "answered"]).toContain(result);
      const response = await transport.send({ method: "GET", path: "/" });
      expect(await response.json()).toEqual({});
    }
    // Their places are free again.
    expect(stage.sessions).toHaveLength(1);
  });

  test("a request that is aborted when it is about to leave does not leave", async () => {
    const paths: string[] = [];
    stage.handler = (request, response) => {
      paths.push(request.url);
      response.end("{}");
    };
    const transport = stage.transportTo();
    const abort = new AbortController();
    const reason = new Error("enough");
    const beforeSend = (): void => abort.abort(reason);
    const request = { method: "PUT", path: "/aborted", beforeSend } as const;
    expect(await outcome(transport.send(request, abort.signal))).toBe(reason);
    await (await transport.send({ method: "GET", path: "/after" })).discard();
    expect(paths).toEqual(["/after"]);
  });

  test("a request may be refused when it is about to leave; its place goes to others", async () => {
    const paths: string[] = [];
    stage.handler = (request, response) => {
      paths.push(request.url);
      response.end("{}");
    };
    const transport = stage.transportTo();
    const refusal = new Error("not now");
    const beforeSend = (): void => {
      throw refusal;
    };
    for (let times = 0; times < 200; times++) {
      expect(await outcome(transport.send({ method: "PUT", path: "/refused", beforeSend }))).toBe(refusal);
    }
    await (await transport.send({ method: "GET", path: "/after" })).discard();
    expect(paths).toEqual(["/after"]);
    expect(stage.sessions.length).toBe(1);
  });
});

describe("failures", () => {
  test("nobody listening is `refused`", async () => {
    const closed = stage.port;
    await stage.stopListening();
    expect(await failure(stage.transportTo({ port: closed }).send(GET))).toMatchObject({
      code: "refused",
      sent: false,
    });
    await stage.listen("h2");
  });

  test("an unknown authority and a wrong name are `tls`; tls-server-name and insecure mend them", async () => {
    const send = async (tls: TlsMaterial): Promise<TransportResponse> => stage.transportTo({ tls }).send(GET);
    expect(await failure(send({}))).toMatchObject({ code: "tls", sent: false });
    expect(await failure(send({ ...stage.trust(), serverName: "other.internal" }))).toMatchObject({
      code: "tls",
    });
    expect((await send({ ...stage.trust(), serverName: "api.internal" })).status).toBe(200);
    expect((await send({ insecure: true })).status).toBe(200);
    // Who is trusted by its own certificate needs no authority.
    expect((await send({ ca: Buffer.from(stage.certificate) })).status).toBe(200);
  });

  test("a connection that breaks under a request, or under a body, is `lost`", async () => {
    stage.handler = (request) => request.socket.destroy();
    expect(await failure(stage.transportTo().send(GET))).toMatchObject({ code: "lost", sent: true });
    stage.handler = (request, response) => {
      response.setHeader("content-length", "100");
      response.write('{"a":');
      setTimeout(() => request.socket.destroy(), 20);
    };
    const response = await stage.transportTo().send(GET);
    expect(await failure(response.json())).toMatchObject({ code: "lost" });
  });

  test("a list or a stream that breaks off is an error, even where HTTP/2 reports an orderly end", async () => {
    stage.handler = (request, response) => {
      response.write('{"items":[{"a":1},{"a"');
      setTimeout(() => request.socket.destroy(), 20);
    };
    const items: unknown[] = [];
    await failure((await stage.transportTo().send(GET)).items((item) => items.push(item)));
    expect(items).toEqual([{ a: 1 }]);
    await failure((async () => drain(await stage.transportTo().send(GET)))());
  });

  test("a body that is no JSON is `malformed`", async () => {
    stage.handler = (_, response) => void response.end("hush");
    const error = await failure((await stage.transportTo().send(GET)).json());
    expect(error.code).toBe("malformed");
    expect(error.message).not.toContain("hush");
  });

  test.each(["before the answer", "in the body"])(
    "an abort %s rejects with its reason and ends the stream",
    async (when) => {
      let closed = false;
      let arrived = false;
      stage.handler = (request, response) => {
        arrived = true;
        response.on("close", () => (closed = true));
        if (when === "in the body") response.write("1\n");
        request.resume();
      };
      const abort = new AbortController();
      const reading = (async () => drain(await stage.transportTo().send(WATCH, abort.signal)))();
      const rejected = expect(reading).rejects.toThrow("stop");
      await until("arrived", () => arrived);
      abort.abort(new Error("stop"));
      await rejected;
      await until("closed", () => closed);
    },
  );

  test("leaving the loop over a stream ends it", async () => {
    let closed = false;
    stage.handler = (_, response) => {
      response.on("close", () => (closed = true));
      response.write("1\n2\n");
    };
    const response = await stage.transportTo().send(WATCH);
    for await (const document of response.documents()) {
      expect(document).toBe(1);
      break;
    }
    await until("closed", () => closed);
  });
});

test("a consumer that does not read holds the server back", async () => {
  const line = `${JSON.stringify({ filler: "x".repeat(10_000) })}\n`;
  let written = 0;
  stage.handler = (_, response) => {
    const write = (): void => {
      while (!response.destroyed && written < 200_000_000) {
        written += line.length;
        if (response.write(line)) continue;
        response.once("drain", write);
        return;
      }
      response.end();
    };
    write();
  };
  const response = await stage.transportTo().send(WATCH);
  const documents = response.documents()[Symbol.asyncIterator]();
  await documents.next();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(written).toBeLessThan(20_000_000);
  await documents.return?.();
});
