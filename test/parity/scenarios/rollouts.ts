import type { Scenario } from "../scenario.ts";
import {
  available,
  complete,
  create,
  deployment,
  gated,
  patchSpec,
  roll,
  rolling,
  scale,
  template,
} from "./objects.ts";

const slowToStop = template("app:v1", {}, { "kcm.dev/stops-after": "2" });
const stuck = { "status.conditions[Progressing].reason": "ProgressDeadlineExceeded" };

/** Deployments: from one template to the next, with all that can come in between. */
export const rollouts: readonly Scenario[] = [
  {
    name: "roll-by-default",
    steps: [create(deployment(4)), complete(4), roll("app:v2"), complete(4)],
  },
  {
    name: "roll-by-surge-only",
    steps: [create(deployment(4, rolling(2, 0))), complete(4), roll("app:v2"), complete(4)],
  },
  {
    name: "roll-without-surge",
    steps: [create(deployment(3, rolling(0, 1))), complete(3), roll("app:v2"), complete(3)],
  },
  {
    name: "roll-all-at-once",
    steps: [create(deployment(3, rolling("100%", "100%"))), complete(3), roll("app:v2"), complete(3)],
  },
  {
    name: "roll-by-shares-that-round",
    steps: [create(deployment(7, rolling("30%", "20%"))), complete(7), roll("app:v2"), complete(7)],
  },
  {
    name: "recreate",
    steps: [
      create(deployment(3, { strategy: { type: "Recreate" }, template: slowToStop })),
      complete(3),
      roll("app:v2"),
      complete(3),
    ],
  },
  {
    name: "restart",
    steps: [
      create(deployment(2)),
      complete(2),
      patchSpec({
        template: {
          metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z" } },
        },
      }),
      complete(2),
    ],
  },
  {
    name: "pause-mid-roll",
    steps: [
      create(deployment(4, rolling(1, 1))),
      complete(4),
      roll("app:v2", gated),
      { do: "let pods be ready", pods: { ready: false, count: 1 } },
      patchSpec({ paused: true }),
      { do: "until", target: "deployments/web", holds: { "status.updatedReplicas": 3 } },
    ],
  },
  {
    name: "resume-mid-roll",
    steps: [
      create(deployment(3, rolling(1, 1))),
      complete(3),
      roll("app:v2", gated),
      patchSpec({ paused: true }),
      roll("app:v2"),
      patchSpec({ paused: null }),
      complete(3),
    ],
  },
  {
    name: "scale-up-mid-roll-in-proportion",
    steps: [
      create(deployment(10, rolling(3, 2))),
      complete(10),
      roll("app:v2", gated),
      available(8),
      scale(15),
      available(11),
    ],
  },
  {
    name: "scale-down-mid-roll-in-proportion",
    steps: [
      create(deployment(10, rolling(3, 2))),
      complete(10),
      roll("app:v2", gated),
      available(8),
      scale(5),
    ],
  },
  {
    name: "scale-while-paused-mid-roll",
    steps: [
      create(deployment(6, rolling(2, 1))),
      complete(6),
      roll("app:v2", gated),
      available(5),
      patchSpec({ paused: true }),
      scale(9),
      scale(4),
    ],
  },
  {
    name: "roll-over",
    steps: [
      create(deployment(4, rolling(1, 1))),
      complete(4),
      roll("app:v2", gated),
      { do: "let pods be ready", pods: { ready: false, count: 1 } },
      roll("app:v3"),
      complete(4),
    ],
  },
  {
    name: "undo",
    steps: [
      create(deployment(3)),
      complete(3),
      roll("app:v2"),
      complete(3),
      { do: "undo", deployment: "web", toRevision: 1 },
      complete(3),
    ],
  },
  {
    name: "undo-mid-roll",
    steps: [
      create(deployment(4, rolling(1, 1))),
      complete(4),
      roll("app:v2", gated),
      { do: "undo", deployment: "web", toRevision: 1 },
      complete(4),
    ],
  },
  {
    name: "bad-image-then-fix",
    steps: [
      create(deployment(4)),
      complete(4),
      roll("app:does-not-exist"),
      available(3),
      roll("app:v2"),
      complete(4),
    ],
  },
  {
    name: "progress-deadline-exceeded",
    steps: [
      create(deployment(2, { progressDeadlineSeconds: 2 })),
      complete(2),
      roll("app:does-not-exist"),
      { do: "until", target: "deployments/web", holds: stuck },
    ],
  },
  {
    name: "progress-after-the-deadline",
    steps: [
      create(deployment(2, { progressDeadlineSeconds: 2, template: template("app:does-not-exist") })),
      { do: "until", target: "deployments/web", holds: stuck },
      roll("app:v2"),
      complete(2),
    ],
  },
  {
    name: "min-ready-seconds",
    steps: [
      create(deployment(1, { minReadySeconds: 2, ...rolling(1, 0) })),
      complete(1),
      roll("app:v2"),
      complete(1),
    ],
  },
  {
    name: "revision-history-limit",
    steps: [
      create(deployment(1, { revisionHistoryLimit: 1 })),
      complete(1),
      ...["app:v2", "app:v3", "app:v4"].flatMap((image) => [roll(image), complete(1)]),
    ],
  },
  {
    name: "revisions-come-back",
    steps: [
      create(deployment(1)),
      complete(1),
      ...["app:v2", "app:v1", "app:v2"].flatMap((image) => [roll(image), complete(1)]),
    ],
  },
];
