import { expect, test } from "vitest";
import { devicesOfAnnotation } from "./device-annotation.ts";

test.each<[string, string, object]>([
  ["one driver", "gpu.example.com=1", [{ driver: "gpu.example.com", devices: [{ name: "device-0" }] }]],
  [
    "what devices are like",
    "d=1 model=a100 cores=8 ready=true version=1.2.3 memory=80Gi",
    [
      {
        driver: "d",
        devices: [
          {
            name: "device-0",
            attributes: {
              model: { string: "a100" },
              cores: { int: 8 },
              ready: { bool: true },
              version: { version: "1.2.3" },
            },
            capacity: { memory: { value: "80Gi" } },
          },
        ],
      },
    ],
  ],
  [
    "several drivers",
    " a=1 ;  b=2",
    [
      { driver: "a", devices: [{ name: "device-0" }] },
      { driver: "b", devices: [{ name: "device-0" }, { name: "device-1" }] },
    ],
  ],
  ["nothing", "", []],
  [
    "what cannot be read is left out",
    "A_B=1; c; d=x; e=0; f=1 =1 x= 9=9 ok=1",
    [{ driver: "f", devices: [{ name: "device-0", attributes: { ok: { int: 1 } } }] }],
  ],
])("%s", (_, text, expected) => {
  expect(devicesOfAnnotation(text)).toEqual(expected);
});

test("a slice has room for 128", () => {
  expect(devicesOfAnnotation("d=999")[0]?.devices).toHaveLength(128);
});
