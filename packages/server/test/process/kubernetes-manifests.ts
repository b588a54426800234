import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { z } from 'zod'
import { createOpsApp } from '../../src/http/ops-app.ts'
import { STOP_MS } from '../../src/lib/stop-in-time.ts'
import { createPrometheusMetrics } from '../../src/telemetry/prometheus-metrics.ts'

// Checks that the manifests for Kubernetes and those of the Helm chart share.
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

const Probe = z.strictObject({
  httpGet: z.strictObject({ path: z.string(), port: z.string() }),
  periodSeconds: z.number(),
  timeoutSeconds: z.number().default(1),
  failureThreshold: z.number(),
})
const Labels = z.record(z.string(), z.string())
// Values of other variables may name the variables that the cluster sets in a pod.
const FromPod = z.strictObject({ fieldRef: z.strictObject({ fieldPath: z.string() }) })
const Container = z.object({
  env: z.array(
    z.union([
      z.strictObject({ name: z.string(), value: z.string() }),
      z.strictObject({ name: z.string(), value: z.undefined().optional(), valueFrom: FromPod }),
    ]),
  ),
  envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name: z.string() }) })),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.number() })),
  ...{ startupProbe: Probe, readinessProbe: Probe, livenessProbe: Probe },
  securityContext: z.object({ readOnlyRootFilesystem: z.literal(true), allowPrivilegeEscalation: z.literal(false) }),
})
const Deployment = z.object({
  spec: z.object({
    replicas: z.number(),
    selector: z.object({ matchLabels: Labels }),
    template: z.object({
      metadata: z.object({ labels: Labels, annotations: z.record(z.string(), z.string()) }),
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.number() }),
        containers: z.tuple([Container]),
      }),
    }),
  }),
})
const Budget = z.object({
  spec: z.object({ maxUnavailable: z.literal(1), selector: z.object({ matchLabels: Labels }) }),
})
const Service = z.object({
  spec: z.object({ selector: Labels, ports: z.array(z.object({ targetPort: z.string() })) }),
})

interface Manifests {
  readonly deployment: z.infer<typeof Deployment>
  readonly budget: z.infer<typeof Budget>
  readonly service: z.infer<typeof Service>
}

const OfKind = z.object({ kind: z.string() })

/** The Deployment, the PodDisruptionBudget and the Service among these documents. */
export function readManifests(documents: readonly unknown[]): Manifests {
  const ofKind = (kind: string) => documents.find((document) => OfKind.safeParse(document).data?.kind === kind)
  return {
    deployment: Deployment.parse(ofKind('Deployment')),
    budget: Budget.parse(ofKind('PodDisruptionBudget')),
    service: Service.parse(ofKind('Service')),
  }
}

/** Those of these variables that the page of the configuration has no row for. */
export function unknownVariables(names: readonly string[]): string[] {
  const rows = readFileSync(join(ROOT, 'docs/reference/configuration.md'), 'utf8').match(/^\|.*\|$/gm) ?? []
  const documented = new Set(rows.join('\n').match(/(?<=`)[A-Z][A-Z_]{3,}(?=`)/g))
  return names.filter((name) => !documented.has(name))
}

/** The variables that the deployment sets by itself, and not from the Secret. */
function variablesOf({ deployment }: Manifests): Map<string, string> {
  const [{ env }] = deployment.spec.template.spec.containers
  return new Map(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])))
}

export function expectKnownVariables(manifests: Manifests): void {
  const names = [...variablesOf(manifests).keys()]
  expect(names).toEqual(expect.arrayContaining(['SVC_BASE_URL', 'SVC_NODE_URL']))
  expect(unknownVariables(names)).toEqual([])
  expect(names.filter((name) => /KEY|SECRET|DATABASE/.test(name))).toEqual([])
}

export function expectOnePort(manifests: Manifests): void {
  const { deployment, budget, service } = manifests
  const { template, selector, replicas } = deployment.spec
  const [{ ports }] = template.spec.containers
  const variables = variablesOf(manifests)
  const portOf = (name: string) => ports.find((each) => each.name === name)?.containerPort
  for (const labels of [selector.matchLabels, budget.spec.selector.matchLabels, service.spec.selector]) {
    expect(labels).toEqual(template.metadata.labels)
  }
  expect(service.spec.ports).toMatchObject([{ targetPort: 'http' }])
  expect([variables.get('PORT'), variables.get('SVC_OPS_PORT')]).toEqual([
    String(portOf('http')),
    String(portOf('ops')),
  ])
  expect(template.metadata.annotations['prometheus.io/port']).toBe(String(portOf('ops')))
  expect([variables.get('HOST'), variables.get('SVC_OPS_HOST')]).toEqual(['0.0.0.0', '0.0.0.0'])
  expect(variables.get('SVC_NODE_URL')).toBe(`http://$(POD_IP):${portOf('http')}`)
  expect(replicas).toBeGreaterThan(budget.spec.maxUnavailable)
}

export async function expectAnsweredProbes({ deployment }: Manifests): Promise<void> {
  const [{ startupProbe, readinessProbe, livenessProbe }] = deployment.spec.template.spec.containers
  for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe]) {
    expect(httpGet.port).toBe('ops')
    expect(await statusOfOps(httpGet.path)).toBe(200)
  }
  expect(livenessProbe.httpGet.path).not.toBe('/ready')
  for (const { timeoutSeconds } of [startupProbe, readinessProbe]) expect(timeoutSeconds).toBeGreaterThan(2)
}

/** What the operations port of a server that is ready answers. */
export async function statusOfOps(path: string): Promise<number> {
  const checks = { database: 'ok', lease: 'held', clock: 'ok', state: 'serving' } as const
  const readiness = { read: async () => ({ ready: true, checks }) }
  const app = createOpsApp({ readiness, metrics: createPrometheusMetrics() })
  return (await app.inject({ url: path })).statusCode
}

export function expectTimeToDrain(manifests: Manifests): void {
  const { terminationGracePeriodSeconds } = manifests.deployment.spec.template.spec
  expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(STOP_MS)
  expect(Number(variablesOf(manifests).get('SVC_DRAIN_DELAY_MS'))).toBeGreaterThanOrEqual(5_000)
}
