import { expect, test } from "vitest";
import { CopyError, placeOf } from "./copy.ts";

test.each([
  ["dir", "/here/place"],
  ["dir/", "/here/place"],
  ["dir/a/b", "/here/place/a/b"],
  ["./dir/a", "/here/place/a"],
  ["dir/..a", "/here/place/..a"],
])("%s of an archive goes to %s", (path, place) => {
  expect(placeOf("/here/place", "dir", path)).toBe(place);
});

test.each(["dir/../other", "../etc", "/etc/passwd", "other", "dir/a/../../../x", "dirt", "placebo"])(
  "%s leads out, and is refused",
  (path) => {
    expect(() => placeOf("/here/place", "dir", path)).toThrow(CopyError);
  },
);
