import { expect, test } from "vitest";
import { fnv128a } from "./fnv128a.ts";
import { slicePortsText, slicePortText, subsetPortText, subsetText } from "./go-text.ts";

// Texts and hashes are what the Go program makes of the same values.
test.each([
  [
    "a port with everything",
    slicePortText({ name: "http", port: 80, protocol: "TCP", appProtocol: "x.io/y" }),
    "e30db795b91ec673a5c1ad425d61251a",
  ],
  [
    "a port without a name",
    slicePortText({ name: "", port: 80, protocol: "TCP" }),
    "73b52e075e78e70787d5e6ffd2212eef",
  ],
  ["a port with nothing", slicePortText({}), "ad866eb7cd5162a9e20434ebd9deeacd"],
  ["no ports", slicePortsText([]), "b823fa277840572f948b7ebdb09f7a1d"],
  [
    "two ports",
    slicePortsText([{ name: "http", port: 80, protocol: "TCP" }, { name: "https" }]),
    "11c3a4ae18a925c3b08bff69065b6e31",
  ],
  [
    "a port of a subset",
    subsetPortText({ name: "http", port: 80, protocol: "TCP", appProtocol: "x.io/y" }),
    "4c8d34b345ca8c4f38c59d8cb8509c08",
  ],
  [
    "a port of a subset without a name",
    subsetPortText({ port: 80, protocol: "TCP" }),
    "19cbad1834a78abad87a093580858485",
  ],
  [
    "a subset",
    subsetText({
      addresses: [
        {
          ip: "1.2.3.4",
          hostname: "h",
          nodeName: "n",
          targetRef: { kind: "Pod", namespace: "ns", name: "p", uid: "u" },
        },
        { ip: "1.2.3.5" },
      ],
      ports: [{ name: "http", port: 80, protocol: "TCP" }],
    }),
    "049b3a6bfb3d8169a89519646a5b568a",
  ],
  [
    "a subset without ports",
    subsetText({ notReadyAddresses: [{ ip: "1.2.3.5", targetRef: {} }] }),
    "04652b5c1115ead890f6fa0ea31a80dc",
  ],
  ["a subset without addresses", subsetText({ notReadyAddresses: [] }), "2f494f664d7ccffbc4d7fe123a027f74"],
])("%s is hashed as by the Go program", (_, text, hash) => {
  expect(fnv128a(text)).toBe(hash);
});
