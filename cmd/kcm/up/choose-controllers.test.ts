import { expect, test } from "vitest";
import { chooseControllers } from "./choose-controllers.ts";
import { loadControllers } from "./load-controllers.ts";

test("every controller that is chosen is one that is built", () => {
  const names = chooseControllers(["*"]);
  const { controllers } = loadControllers(names, { rootCa: () => "", tokenSigner: notYet });
  expect(controllers.map(({ name }) => name)).toEqual(names);
  expect(names).toContain("node-ipam-controller");
  expect(names).toContain("serviceaccount-token-controller");
  expect(names).not.toContain("certificatesigningrequest-signing-controller");
});

test("with -* there are those that are named", () => {
  expect(chooseControllers(["-*", "job"])).toEqual(["job-controller"]);
  expect(() => chooseControllers(["jobb"])).toThrow(/job/);
});

function notYet(): never {
  throw new Error("no token is signed here");
}
