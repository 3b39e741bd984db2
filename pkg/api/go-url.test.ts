import { expect, test } from "vitest";
import { formatGoUrl, parseGoUrl } from "./go-url.ts";

// What Go's net/url makes of these.
const SAME = [
  "",
  "*",
  "a",
  "/a",
  "//a",
  "///a",
  "a:b",
  "a/b:c",
  "./a:b",
  "http:",
  "http:a",
  "http:/a",
  "http:///a",
  "http://h",
  "http://h/",
  "http://h?",
  "http://h?q=1",
  "http://h?q?r",
  "http://h/a#f",
  "http://h/a%20b",
  "http://h/a%2Fb",
  "http://h/a[b]",
  "http://u@h/",
  "http://u:p@h/",
  "http://u:@h/",
  "http://u%40x:p%3A@h/",
  "http://@h/",
  "http://h:80/",
  "http://h:/",
  "ldap://h:80:90/",
  "http://[::1]/",
  "http://[::1]:80/",
  "http://[fe80::1%25en0]/",
  "http://a%C3%A9/",
  "mailto:a@b",
  "urn:a:b?q",
  "spiffe://t/ns/a",
  "http://h/*",
  "http://h/a;b,c",
  "http://h<a>/",
  "x:/a//b",
  "x://u@",
  "//u@h/a",
  "?q",
  "#f",
  "x:a%zz",
];
const OTHER: readonly (readonly [text: string, written: string])[] = [
  ["//", ""],
  ["http://", "http:"],
  ["HTTP://H/A", "http://H/A"],
  ["http://h#", "http://h"],
  ["http://h/a b", "http://h/a%20b"],
  ["http://a@b@h/", "http://a%40b@h/"],
  ["http://[fe80::1%25e%6E0]/", "http://[fe80::1%25en0]/"],
  ["http://h/a#f g", "http://h/a#f%20g"],
  ["http://h/<>", "http://h/%3C%3E"],
];
const REFUSED = [
  "http://h/%zz",
  "http://u v@h/",
  "http://h:a/",
  "http://h:80:90/",
  "http://[::1",
  "http://[1.2.3.4]/",
  "http://[a]/",
  "http://a[::1]/",
  "http://a b/",
  "http://a%20b/",
  "http://h/\u007f",
  "1http://h",
  "ht_tp://h",
  ":a",
  "http://h/a#f%zz",
  "http://h/a%",
  "a%",
];

function written(text: string): string | undefined {
  const url = parseGoUrl(text);
  return url && formatGoUrl(url);
}

test.each(SAME)("%j is written as it was", (text) => {
  expect(written(text)).toBe(text);
});

test.each(OTHER)("%j is written as %j", (text, expected) => {
  expect(written(text)).toBe(expected);
});

test.each(REFUSED)("%j is no URL", (text) => {
  expect(written(text)).toBeUndefined();
});
