import { expect, test } from "vitest";
import { checkFormat, formatOf } from "./formats.ts";

/** By format, what has it and what has not. */
const samples: Readonly<Record<string, readonly [good: readonly string[], bad: readonly string[]]>> = {
  bsonobjectid: [
    ["507f1f77bcf86cd799439011", "507F1F77BCF86CD799439011"],
    ["507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901g"],
  ],
  byte: [
    ["YQ==", "YWI=", "YWJj"],
    ["", "YQ=", "Y Q=", "YQ==="],
  ],
  cidr: [
    ["10.0.0.0/8", "10.0.0.0/32", "fd00::/128"],
    ["10.0.0.0", "10.0.0.0/33", "fd00::/129", "10.0.0.0/8/8", "a/8"],
  ],
  creditcard: [
    ["4111111111111111", "4111-1111-1111-1111", "378282246310005", "5555555555554444", "6011111111111117"],
    ["4111111111111112", "411111111111111", "9111111111111111", "378282246310006"],
  ],
  date: [
    ["2026-02-28", "2024-02-29"],
    ["2026-02-29", "2026-13-01", "2026-1-01", "2026-01-01T00:00:00Z"],
  ],
  datetime: [
    ["2026-01-01T00:00:00Z", "2026-01-01t23:59:59.5z", "2026-01-01T00:00:00+01:00"],
    [
      "2026-01-01T24:00:00Z",
      "2026-01-01T00:60:00Z",
      "2026-01-01T00:00:60Z",
      "2026-02-30T00:00:00Z",
      "2026-01-01T00:00:00",
      "2026-01-01",
    ],
  ],
  duration: [
    ["1h2m3s", "1.5h", "-1ms", "0", "22 ns", "3 weeks", "1 day 2 hours"],
    ["", "1", "1y", "1 year", "h", "1".repeat(1024) + "s"],
  ],
  email: [
    ["a@b.c", "A <a@b.c>"],
    ["a", "a@", "@b", "a b@c"],
  ],
  hexcolor: [
    ["#fff", "fff", "#A1b2C3"],
    ["#ff", "#ffff", "#ggg", "##fff"],
  ],
  hostname: [
    ["a", "a.b-c", "1.2", "a".repeat(63)],
    ["", "-a", "a-", "a..b", "a_b", "a".repeat(64), `${"a.".repeat(127)}ab`],
  ],
  ipv4: [["10.0.0.1"], ["10.0.0", "10.0.0.256", "::1"]],
  ipv6: [
    ["::1", "fd00::a"],
    ["10.0.0.1", "fd00::g"],
  ],
  isbn: [
    ["0306406152", "9783161484100"],
    ["0306406153", "9783161484101"],
  ],
  isbn10: [
    ["0-306-40615-2", "080442957X", "0 306 40615 2"],
    ["0306406153", "030640615", "080442957x", "9783161484100"],
  ],
  isbn13: [
    ["978-3-16-148410-0", "9780306406157"],
    ["9783161484101", "978316148410", "0306406152", "9870306406157"],
  ],
  k8slongname: [
    ["a.b-c", "1"],
    ["A", "a_b", "-a", "a.", `${"a.".repeat(126)}aa`],
  ],
  k8sshortname: [
    ["a-b", "1", "a".repeat(63)],
    ["a.b", "A", "a-", "a".repeat(64)],
  ],
  mac: [
    ["01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab"],
    ["01:23:45:67:89", "01:23:45:67:89-ab", "0123.4567"],
  ],
  password: [["", "anything"], []],
  rgbcolor: [
    ["rgb(0,128,255)", "rgb( 1 , 2 , 3 )"],
    ["rgb(0,0,256)", "rgb(0,0)", "rgb(01,0,0)", "rgba(0,0,0)"],
  ],
  ssn: [
    ["123-45-6789", "123 45 6789", "123456789"],
    ["12-345-6789", "123-45-678"],
  ],
  uri: [
    ["http://a/b", "/a", "urn:a:b"],
    ["a", "http://a b"],
  ],
  uuid: [
    ["6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B8109DAD11D180B400C04FD430C8"],
    ["6ba7b810-9dad-11d1-80b4-00c04fd430c", "g"],
  ],
  uuid3: [["6ba7b810-9dad-31d1-80b4-00c04fd430c8"], ["6ba7b810-9dad-41d1-80b4-00c04fd430c8"]],
  uuid4: [
    ["6ba7b810-9dad-41d1-80b4-00c04fd430c8"],
    ["6ba7b810-9dad-51d1-80b4-00c04fd430c8", "6ba7b810-9dad-41d1-c0b4-00c04fd430c8"],
  ],
  uuid5: [
    ["6ba7b810-9dad-51d1-80b4-00c04fd430c8"],
    ["6ba7b810-9dad-41d1-80b4-00c04fd430c8", "6ba7b810-9dad-51d1-70b4-00c04fd430c8"],
  ],
};

test.each(Object.entries(samples))("texts of format %s are told from others", (format, [good, bad]) => {
  expect(good.filter((text) => !checkFormat(format, text))).toEqual([]);
  expect(bad.filter((text) => checkFormat(format, text))).toEqual([]);
});

test.each([
  ["of a text", { type: "string", format: "ipv4" }, "ipv4"],
  ["of anything", { format: "ipv4" }, "ipv4"],
  ["with hyphens", { type: "string", format: "date-time" }, "datetime"],
  ["of a number or a text", { type: "integer", format: "ipv4", "x-kubernetes-int-or-string": true }, "ipv4"],
  ["of a whole number", { type: "integer", format: "int32" }, "int32"],
  ["of a number", { type: "number", format: "double" }, "double"],
  ["of another type", { type: "integer", format: "double" }, undefined],
  ["that nobody knows", { type: "string", format: "color" }, undefined],
  ["of every object", { type: "string", format: "constructor" }, undefined],
  ["of nothing", { type: "string" }, undefined],
])("the format %s", (_, schema, expected) => {
  expect(formatOf(schema)).toBe(expected);
});
