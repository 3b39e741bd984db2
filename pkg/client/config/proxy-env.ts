import { BlockList, isIP, isIPv6 } from "node:net";
import { hostOf } from "../url-host.ts";
import { parseUrl, PROXY_SCHEMES } from "./kubeconfig.ts";
import { ConfigError } from "./identity-source.ts";

/** The proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name for this server; a kubeconfig's proxy-url goes before it. */
export function proxyFromEnvironment(
  server: URL,
  env: Readonly<Record<string, string | undefined>>,
): URL | undefined {
  const variable = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const text = env[variable] || env[variable.toLowerCase()];
  if (!text || isExempt(server, env["NO_PROXY"] || env["no_proxy"] || "")) return undefined;
  const fail = (why: string): never => {
    throw new ConfigError(`${variable}: ${why}`);
  };
  return parseUrl(text, fail, PROXY_SCHEMES);
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * Entries are `*`, hosts (which cover their subdomains), `.domain`, addresses, each with or without a port, and networks.
 * upstream: golang.org/x/net/http/httpproxy
 */
function isExempt(server: URL, list: string): boolean {
  const host = hostOf(server).toLowerCase();
  if (host === "localhost" || contains(loopback, host)) return true;
  const port = server.port || (server.protocol === "https:" ? "443" : "80");
  return list
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry === "*" || (entry !== "" && covers(entry, host, port)));
}

function covers(entry: string, host: string, port: string): boolean {
  const [base = "", bits] = entry.split("/");
  if (bits !== undefined) return contains(network(base, bits), host);
  const { name, entryPort } = isIP(entry) === 0 ? splitPort(entry) : { name: entry, entryPort: undefined };
  if (entryPort !== undefined && entryPort !== port) return false;
  if (isIP(name) !== 0) return contains(network(name, isIPv6(name) ? "128" : "32"), host);
  if (name === "" || isIP(host) !== 0) return false;
  const domain = name.replace(/^\*?\./, "");
  return (host === domain && domain === name) || host.endsWith(`.${domain}`);
}

function splitPort(entry: string): { readonly name: string; readonly entryPort: string | undefined } {
  const [, name = "", entryPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? [];
  return { name, entryPort };
}

/** Without anything in it where the text names none. */
function network(base: string, bits: string): BlockList {
  const list = new BlockList();
  const family = isIP(base);
  if (family === 0 || !/^\d+$/.test(bits) || Number(bits) > (family === 6 ? 128 : 32)) return list;
  list.addSubnet(base, Number(bits), family === 6 ? "ipv6" : "ipv4");
  return list;
}

function contains(list: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 6 ? "ipv6" : "ipv4");
}
