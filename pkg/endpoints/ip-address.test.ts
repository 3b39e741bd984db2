import { expect, test } from "vitest";
import { isIpv6, parseIp } from "./ip-address.ts";

test.each([
  ["10.0.0.1", "IPv4", "10.0.0.1"],
  ["010.000.0.08", "IPv4", "10.0.0.8"],
  ["0.0.0.0", "IPv4", "0.0.0.0"],
  ["::ffff:1.2.3.4", "IPv4", "1.2.3.4"],
  ["::ffff:102:304", "IPv4", "1.2.3.4"],
  ["1234::5678:0000:0000:9abc:def0", "IPv6", "1234::5678:0:0:9abc:def0"],
  ["2001:DB8:0:0:0:0:0:1", "IPv6", "2001:db8::1"],
  ["2001:db8:0:1:1:1:1:1", "IPv6", "2001:db8:0:1:1:1:1:1"],
  ["::1", "IPv6", "::1"],
])("%s is %s %s", (given, family, text) => {
  expect(parseIp(given)).toEqual({ family, text });
  expect(isIpv6(given)).toBe(family === "IPv6");
});

test.each(["", "10.0.0", "10.0.0.256", "fe80::1%eth0", "example.com", "10.0.0.0/8", "1::2::3"])(
  "%j is none",
  (given) => {
    expect(parseIp(given)).toBeUndefined();
    expect(isIpv6(given)).toBe(false);
  },
);
