const container = "{name: c, image: nginx:1.27}";

/** A database as tutorials have it: each of its pods has a claim. */
export const database = `
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 5432}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: c, image: postgres:17, volumeMounts: [{name: data, mountPath: /data}]}]
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`;

/** What a chart comes down to. */
export const chart = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: shop}
data: {mode: "production"}
---
apiVersion: v1
kind: Secret
metadata: {name: shop}
stringData: {password: hunter2}
---
apiVersion: v1
kind: Service
metadata: {name: shop}
spec: {selector: {app: shop}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: shop}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      serviceAccountName: shop
      terminationGracePeriodSeconds: 1
      containers:
        - name: c
          image: shop:1
          envFrom: [{configMapRef: {name: shop}}, {secretRef: {name: shop}}]
          volumeMounts: [{name: data, mountPath: /data}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: shop}}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: shop}
spec: {minAvailable: 1, selector: {matchLabels: {app: shop}}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: shop}
spec:
  rules:
    - host: shop.example.com
      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: shop, port: {number: 80}}}}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: shop}
spec: {maxReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: c, image: shop:1, command: [sleep, "1"]}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "0 0 29 2 *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [${container}]}}}}
`;

export const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: front}
spec:
  replicas: 3
  selector: {matchLabels: {app: front}}
  template:
    metadata: {labels: {app: front}}
    spec: {terminationGracePeriodSeconds: 1, containers: [${container}]}
`;

export const quota = `
apiVersion: v1
kind: ResourceQuota
metadata: {name: few}
spec: {hard: {pods: "1", requests.cpu: "1"}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: usual}
spec: {limits: [{type: Container, defaultRequest: {cpu: 100m}, max: {cpu: "2"}}]}
`;

/** Zeros that must not get lost, and patterns that mean in RE2 what they mean nowhere else. */
export const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: boxes, singular: box, kind: Box, shortNames: [bx]}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: {type: integer, minimum: 0, default: 0}
                closed: {type: boolean, default: false}
                note: {type: string, default: ""}
                nothing: {type: string, maxLength: 0}
                label: {type: string, pattern: '(?i)\\A[[:alpha:]]+\\z'}
                slow: {type: string, pattern: '^(a+)+$'}
      additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
`;

/** An object with next to nothing in it. */
export const object = (apiVersion: string, kind: string, body: string): string => `
apiVersion: ${apiVersion}
kind: ${kind}
metadata: {name: broken}
${body}
`;

export const box = (name: string, spec: string): string =>
  `
apiVersion: example.com/v1
kind: Box
metadata: {name: ${name}}
spec: ${spec}
`;
