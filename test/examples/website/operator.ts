import { resources } from "../../../pkg/api/resources.ts";
import { changed, condition, controller } from "../../../pkg/controller/index.ts";
import { Website } from "./website.ts";

const { configMaps, deployments, services } = resources;

/** Serves the page of every Website, in the styles of its theme. */
export const websiteOperator = controller("website-operator", Website)
  .owns(deployments, { where: changed.any(changed.spec, changed.at("status.readyReplicas")) })
  .owns(services, { where: changed.spec })
  .owns(configMaps)
  .reconcile(async ({ metadata: { name }, spec: { page, replicas, theme } }, ctx) => {
    const styles = theme === undefined ? undefined : await ctx.read(configMaps, theme);
    if (theme !== undefined && styles === undefined)
      return ctx.status({}, condition("Ready", false, "NoTheme", `There is no ConfigMap ${theme}`));

    const labels = { website: name };
    const css = styles?.data?.["style.css"] ?? "";
    const pages = await ctx.apply(configMaps, {
      metadata: { name: `${name}-pages` },
      data: { "index.html": `<style>${css}</style>${page}` },
    });
    const deployment = await ctx.apply(deployments, {
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              { name: "web", image: "nginx:1.29", volumeMounts: [{ name: "pages", mountPath: "/www" }] },
            ],
            volumes: [{ name: "pages", configMap: { name: pages.metadata.name } }],
          },
        },
      },
    });
    await ctx.apply(services, {
      metadata: { name },
      spec: { selector: labels, ports: [{ port: 80 }] },
    });

    const { readyReplicas = 0 } = deployment.status ?? {};
    const isReady = readyReplicas >= replicas;
    const reason = isReady ? "AllReady" : "PodsMissing";
    await ctx.status(
      { readyReplicas },
      condition("Ready", isReady, reason, `${readyReplicas} of ${replicas}`),
    );
  });
