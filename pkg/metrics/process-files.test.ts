import { describe, expect, test } from "vitest";
import { networkOctets, virtualMemoryLimit } from "./process-files.ts";

describe("what Linux tells of a process", () => {
  const netstat = [
    "TcpExt: SyncookiesSent InOctets",
    "TcpExt: 7 8",
    "IpExt: InNoRoutes InOctets OutOctets",
    "IpExt: 1 123456789012 345",
    "",
  ].join("\n");

  test.each([
    ["receive", netstat, 123_456_789_012],
    ["transmit", netstat, 345],
    ["transmit", "IpExt: InOctets\nIpExt: 5\n", 0],
    ["receive", "", 0],
  ] as const)("octets it did %s", (direction, text, expected) => {
    expect(networkOctets(text, direction)).toBe(expected);
  });

  const header = "Limit                     Soft Limit           Hard Limit           Units\n";
  test.each([
    ["unlimited            unlimited            bytes", 2 ** 64],
    ["1048576              unlimited            bytes", 1_048_576],
  ])("an address space of %s", (line, expected) => {
    expect(virtualMemoryLimit(`${header}Max address space         ${line}\nMax file locks x`)).toBe(expected);
  });
});
