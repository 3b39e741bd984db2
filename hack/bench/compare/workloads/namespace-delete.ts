import { resources } from "../../../../pkg/api/resources.ts";
import type { Namespace } from "../../../../pkg/api/types/core-v1.gen.ts";
import { follow } from "../follow.ts";
import { inParallel } from "../in-parallel.ts";
import { measured } from "../measured.ts";
import { createNamespace } from "../probe.ts";
import type { Workload } from "../workload.ts";

const OBJECTS = 5_000;
const NAMESPACE = "doomed";
const LIMIT_MS = 180_000;

/** A namespace of ConfigMaps and Secrets goes, from the request until nothing of it is left. */
export const namespaceDelete: Workload = {
  id: "f-namespace",
  title: `deletion of a namespace with ${OBJECTS.toLocaleString("en")} objects`,
  needs: ["namespace-controller"],
  rounds: 1,
  figures: {
    seconds: { label: "until it is gone", unit: "s", goal: { bound: "at most", value: 1 } },
    cpu: { label: "CPU", unit: "s", goal: { bound: "at most", value: 1 } },
    writes: { label: "writes", unit: "" },
  },
  play: async (stage, start) => {
    const { client } = stage;
    await createNamespace(client, NAMESPACE);
    const metadata = (index: number): { namespace: string; name: string } => ({
      namespace: NAMESPACE,
      name: `object-${index}`,
    });
    await inParallel(Array.from({ length: stage.scaled(OBJECTS) }), async (_, index) =>
      index % 2 === 0
        ? client.clientFor(resources.configMaps).create({ metadata: metadata(index), data: { key: "value" } })
        : client
            .clientFor(resources.secrets)
            .create({ metadata: metadata(index), stringData: { key: "value" } }),
    );
    const manager = await start();
    await manager.settle(LIMIT_MS);
    let isGone = false;
    const options = { fieldSelector: `metadata.name=${NAMESPACE}` };
    const following = follow<Namespace>(client, resources.namespaces, options, ({ type }) => {
      isGone ||= type === "DELETED";
    });
    try {
      const { seconds, cpuSeconds, writes } = await measured(manager, async () => {
        await client.clientFor(resources.namespaces).delete({ name: NAMESPACE });
        await following.until(`namespace ${NAMESPACE} is gone`, () => isGone, LIMIT_MS);
      });
      return { figures: { seconds, cpu: cpuSeconds, writes }, curves: { RSS: manager.rss } };
    } finally {
      await following.stop();
    }
  },
};
