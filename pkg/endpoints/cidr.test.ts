import fc from "fast-check";
import { expect, test } from "vitest";
import "../../test/harness/property-seed.ts";
import { formatCidr, lastOf, overlap, parseCidr, textOfIp, widthOf } from "./cidr.ts";

test.each([
  ["10.0.0.0/8", "10.0.0.0/8"],
  ["10.1.2.3/16", "10.1.0.0/16"],
  ["010.001.02.3/32", "10.1.2.3/32"],
  ["0.0.0.0/0", "0.0.0.0/0"],
  ["255.255.255.255/08", "255.0.0.0/8"],
  ["2001:0DB8:1234:3::/48", "2001:db8:1234::/48"],
  ["ace:cab:deca::/8", "a00::/8"],
  ["::/0", "::/0"],
  ["::1/128", "::1/128"],
  ["::ffff:10.1.2.3/112", "10.1.0.0/16"],
])("%s is %s", (given, expected) => {
  const cidr = parseCidr(given);
  expect(cidr && formatCidr(cidr)).toBe(expected);
});

test.each([
  "",
  "10.0.0.0",
  "10.0.0.0/",
  "10.0.0.0/33",
  "10.0.0.0/-1",
  "10.0.0.0/+8",
  "10.0.0.0/8/8",
  "10.0.0/8",
  " 10.0.0.0/8",
  "fd00::/129",
  "fe80::1%eth0/64",
  "::ffff:10.0.0.0/95",
  "nodes",
])("%j is no range", (given) => expect(parseCidr(given)).toBeUndefined());

test("ranges have addresses in common when one holds the other", () => {
  const common = (one: string, other: string): boolean => {
    const [a, b] = [parseCidr(one), parseCidr(other)];
    return a !== undefined && b !== undefined && overlap(a, b) && overlap(b, a);
  };
  expect(common("10.0.0.0/8", "10.96.0.0/16")).toBe(true);
  expect(common("10.0.0.0/16", "10.1.0.0/16")).toBe(false);
  expect(common("0.0.0.0/0", "::/0")).toBe(false);
  expect(common("10.0.0.0/32", "10.0.0.0/32")).toBe(true);
});

test("what is written is read again, and holds its first and last address", () => {
  const address = fc.record({ bits: fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), length: fc.nat(128) });
  fc.assert(
    fc.property(fc.constantFrom("IPv4", "IPv6"), address, (family, { bits, length }) => {
      const width = widthOf(family);
      const within = bits & (2n ** BigInt(width) - 1n);
      const cidr = parseCidr(`${textOfIp(within, family)}/${length % (width + 1)}`);
      // What looks like IPv4 is IPv4.
      if (cidr === undefined || cidr.family !== family) return;
      expect(parseCidr(formatCidr(cidr))).toEqual(cidr);
      expect(within >= cidr.base && within <= lastOf(cidr)).toBe(true);
    }),
  );
});
