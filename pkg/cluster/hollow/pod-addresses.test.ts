import { expect, test } from "vitest";
import { PodAddresses } from "./pod-addresses.ts";

test("pods have addresses of their node's range, and keep them", () => {
  const addresses = new PodAddresses();
  expect(addresses.addressOf("a", 3)).toBe("10.0.3.1");
  expect(addresses.addressOf("b", 3)).toBe("10.0.3.2");
  expect(addresses.addressOf("c", 3, "10.7.0.0/24")).toBe("10.7.0.3");
  expect(addresses.addressOf("a", 3, "fd00:0:0:7::/64")).toBe("fd00:0:0:7::1");
  addresses.release("a");
  expect([addresses.addressOf("b", 3), addresses.addressOf("d", 3)]).toEqual(["10.0.3.2", "10.0.3.1"]);
  expect(() => addresses.addressOf("e", 3, "all")).toThrow("a node has a range that is none: all");
});
