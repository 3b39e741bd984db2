import { expect, test } from "vitest";
import { pullAgainAndAgain, pullOnce, pullProblem } from "./image-pull.ts";

test.each([
  ["nginx", "docker.io/library/nginx:latest"],
  ["example.com:5000/team/nginx", "example.com:5000/team/nginx:latest"],
  ["example.com/nginx:1.27", "example.com/nginx:1.27"],
])("the runtime names %s in full", (image, full) => {
  expect(pullProblem(image)).toContain(`"${full}"`);
});

test.each([
  [0, "ErrImagePull", 3],
  [2.999, "ErrImagePull", 3],
  [3, "ImagePullBackOff", 10],
  [10, "ErrImagePull", 13],
  [13, "ImagePullBackOff", 30],
  [30, "ErrImagePull", 33],
  [70, "ErrImagePull", 73],
  [310, "ErrImagePull", 313],
  [313, "ImagePullBackOff", 610],
  [910, "ErrImagePull", 913],
  [1e9, "ImagePullBackOff", 1e9 + 210],
])("after %d s it is %s, until %d s", (second, reason, changes) => {
  const state = pullAgainAndAgain("x", 5_000, 5_000 + second * 1_000);
  expect([state.reason, ((state.changesAtMs ?? 0) - 5_000) / 1_000]).toEqual([reason, changes]);
});

test("one that is tried once has failed, and is then put off for ever", () => {
  const [first, then] = [pullOnce("x", false), pullOnce("x", true)];
  expect([first.reason, first.changesAtMs]).toEqual(["ErrImagePull", undefined]);
  expect([then.reason, then.changesAtMs]).toEqual(["ImagePullBackOff", undefined]);
  expect(then.message).toMatch(/^Back-off pulling image "x": ErrImagePull: rpc error/);
});
