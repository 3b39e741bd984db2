import { isIPv4 } from "node:net";
import { parseUrl, PROXY_SCHEMES } from "./kubeconfig.ts";
import { ConfigError } from "./identity-source.ts";

/** The proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name for this server; a kubeconfig's proxy-url goes before it. */
export function proxyFromEnvironment(
  server: URL,
  env: Readonly<Record<string, string | undefined>>,
): URL | undefined {
  const variable = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const text = env[variable] || env[variable.toLowerCase()];
  if (!text || isLoopback(server.hostname) || isExempt(server, env["NO_PROXY"] || env["no_proxy"] || "")) {
    return undefined;
  }
  const fail = (why: string): never => {
    throw new ConfigError(`${variable}: ${why}`);
  };
  return parseUrl(text, fail, PROXY_SCHEMES);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || (isIPv4(host) && host.startsWith("127."));
}

/** Entries are `*`, hosts (which cover their subdomains), `.domain`, addresses, IPv4 networks, each with or without a port. */
function isExempt(server: URL, list: string): boolean {
  const host = server.hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  const port = server.port || (server.protocol === "https:" ? "443" : "80");
  return list
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry === "*" || (entry !== "" && covers(entry, host, port)));
}

function covers(entry: string, host: string, port: string): boolean {
  if (entry.includes("/")) return isIPv4(host) && inNetwork(host, entry);
  const [, name = "", entryPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? [];
  if (entryPort !== undefined && entryPort !== port) return entry === host;
  const domain = name.replace(/^\*?\./, "");
  return (host === domain && domain === name) || host.endsWith(`.${domain}`);
}

function inNetwork(address: string, network: string): boolean {
  const [base = "", bits = ""] = network.split("/");
  if (!isIPv4(base) || !/^\d+$/.test(bits) || Number(bits) > 32) return false;
  const size = 2 ** (32 - Number(bits));
  return Math.floor(toNumber(address) / size) === Math.floor(toNumber(base) / size);
}

function toNumber(address: string): number {
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}
