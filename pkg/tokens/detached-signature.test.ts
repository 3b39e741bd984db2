import { expect, test } from "vitest";
import { detachedSignature } from "./detached-signature.ts";

const CONTENT = "Hello from the other side. I must have called a thousand times.";
const SECRET = "my voice is my passcode";
const HEADER = "eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9";

// upstream: staging/src/k8s.io/cluster-bootstrap/token/jws/jws_test.go#TestComputeDetachedSignature, TestDetachedTokenIsValid
test.each([
  ["a text", CONTENT, SECRET, "VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8"],
  ["no text", "", SECRET, "7Ui1ALizW4jXphVUB7xUqC9vLYLL9RZeOFfVLoB7Tgk"],
  ["a text, with no secret", CONTENT, "", "UfkqvDGiIFxrMnFseDj9LYJOLNrvjW8aHhF71mvvAs8"],
])("signs %s as others would", (_, content, secret, expected) => {
  expect(detachedSignature(content, "joshua", Buffer.from(secret))).toBe(`${HEADER}..${expected}`);
});
