import { expect, test } from "vitest";
import { proxyFromEnvironment } from "./proxy-env.ts";

test.each<[string, Record<string, string>, string | undefined]>([
  ["https://api:6443", {}, undefined],
  ["https://api:6443", { HTTPS_PROXY: "http://p:1" }, "http://p:1/"],
  ["https://api:6443", { https_proxy: "p:1" }, "http://p:1/"],
  ["http://api", { HTTPS_PROXY: "http://p:1" }, undefined],
  ["https://127.0.0.1:1", { HTTPS_PROXY: "http://p:1" }, undefined],
  ["https://localhost:1", { HTTPS_PROXY: "http://p:1" }, undefined],
  ["https://api:6443", { HTTPS_PROXY: "http://p:1", NO_PROXY: "*" }, undefined],
  ["https://a.example.com", { HTTPS_PROXY: "http://p:1", NO_PROXY: "x, example.com" }, undefined],
  ["https://a.example.com", { HTTPS_PROXY: "http://p:1", NO_PROXY: ".example.com" }, undefined],
  ["https://example.com", { HTTPS_PROXY: "http://p:1", NO_PROXY: ".example.com" }, "http://p:1/"],
  ["https://notexample.com", { HTTPS_PROXY: "http://p:1", NO_PROXY: "example.com" }, "http://p:1/"],
  ["https://10.1.2.3", { HTTPS_PROXY: "http://p:1", NO_PROXY: "10.0.0.0/8" }, undefined],
  ["https://11.1.2.3", { HTTPS_PROXY: "http://p:1", NO_PROXY: "10.0.0.0/8" }, "http://p:1/"],
  ["https://api:6443", { HTTPS_PROXY: "http://p:1", NO_PROXY: "api:443" }, "http://p:1/"],
  ["https://api:6443", { HTTPS_PROXY: "http://p:1", NO_PROXY: "api:6443" }, undefined],
  ["https://api:6443", { HTTPS_PROXY: "http://p:1", NO_PROXY: "[api]:443" }, "http://p:1/"],
  ["https://10.1.2.3", { HTTPS_PROXY: "http://p:1", NO_PROXY: "10.1.2.3" }, undefined],
  ["https://10.1.2.3", { HTTPS_PROXY: "http://p:1", NO_PROXY: "10.1.2.3:6443" }, "http://p:1/"],
  ["https://10.1.2.3", { HTTPS_PROXY: "http://p:1", NO_PROXY: "2.3,10.1.2.3/33" }, "http://p:1/"],
  ["https://[::1]:6443", { HTTPS_PROXY: "http://p:1" }, undefined],
  ["https://[fd00:10::7]", { HTTPS_PROXY: "http://p:1" }, "http://p:1/"],
  ["https://[fd00:10::7]", { HTTPS_PROXY: "http://p:1", NO_PROXY: "fd00:10::/64" }, undefined],
  ["https://[fd00:10::7]", { HTTPS_PROXY: "http://p:1", NO_PROXY: "x,fd00:11::/64" }, "http://p:1/"],
  ["https://[fd00:10::7]", { HTTPS_PROXY: "http://p:1", NO_PROXY: "10.0.0.0/8" }, "http://p:1/"],
  ["https://[fd00:10::7]", { HTTPS_PROXY: "http://p:1", NO_PROXY: "fd00:10:0:0::7" }, undefined],
  ["https://[fd00:10::7]", { HTTPS_PROXY: "http://p:1", NO_PROXY: "[fd00:10::7]" }, undefined],
  ["https://[fd00:10::7]:6443", { HTTPS_PROXY: "http://p:1", NO_PROXY: "[fd00:10::7]:6443" }, undefined],
  ["https://[fd00:10::7]:6443", { HTTPS_PROXY: "http://p:1", NO_PROXY: "[fd00:10::7]:443" }, "http://p:1/"],
  ["https://api", { HTTPS_PROXY: "http://[fd00::1]:3128" }, "http://[fd00::1]:3128/"],
])("the proxy for %s with %j is %s", (server, env, proxy) => {
  expect(proxyFromEnvironment(new URL(server), env)?.href).toBe(proxy);
});

test("a proxy that cannot be one is an error that names the variable, and not passed over", () => {
  const asked = (): unknown => proxyFromEnvironment(new URL("https://api"), { HTTPS_PROXY: "ftp://p:1" });
  expect(asked).toThrow("HTTPS_PROXY: the scheme of ftp://p:1 is not supported");
});
