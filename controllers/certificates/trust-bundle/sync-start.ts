import type { TypedResource } from "../../../pkg/api/resource.ts";
import type { V1beta1ClusterTrustBundle } from "../../../pkg/api/types/certificates-v1beta1.gen.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { Cache } from "../../../pkg/controller/cache.ts";
import { whenSynced } from "../../../pkg/controller/caches-ready.ts";
import type { KeyQueue } from "../../../pkg/controller/key-queue.ts";
import { SIGNER_NAME } from "./bundle-plan.ts";
import { type TrustBundleContext, VERSIONS } from "./context.ts";

/** How often the server is asked whether it serves bundles by now. */
const PERIOD_MS = 30_000;

/** Watches the bundles of the signer in the version that is served, and wakes their key: at first, and at every change. */
export async function followBundles(
  context: TrustBundleContext,
  queue: KeyQueue,
  signal: AbortSignal,
): Promise<void> {
  const { clock, informers } = context.env;
  try {
    const resource = await servedVersion(context, signal);
    const informer = informers.informer(resource, { fieldSelector: `spec.signerName=${SIGNER_NAME}` });
    const bundles = new Cache(resource, informer, {});
    bundles.wakes(queue, (_, wake) => wake(SIGNER_NAME));
    informers.start(signal);
    await whenSynced(clock, [bundles.registration])(signal);
    context.bundles = bundles;
    queue.work.add(SIGNER_NAME);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function servedVersion(
  { env: { client, clock, log } }: TrustBundleContext,
  signal: AbortSignal,
): Promise<TypedResource<V1beta1ClusterTrustBundle>> {
  for (;;) {
    try {
      client.discovery.invalidate();
      const { resources } = await client.discovery.surface(signal);
      const served = VERSIONS.find(({ group, version, plural }) =>
        resources.some((one) => one.group === group && one.version === version && one.plural === plural),
      );
      if (served !== undefined) return served;
      log.info("The API server does not serve ClusterTrustBundles: nothing can be published yet");
    } catch (error) {
      signal.throwIfAborted();
      log.error(error, "It could not be learned whether the API server serves ClusterTrustBundles");
    }
    await sleep(clock, PERIOD_MS, signal);
  }
}
