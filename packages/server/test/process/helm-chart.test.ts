import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseYaml } from '@redocly/openapi-core'
import { locate, needs } from '@svc/testkit/needs'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { STOP_MS } from '../../src/lib/stop-in-time.ts'
import {
  expectAnsweredProbes,
  expectKnownVariables,
  expectOnePort,
  expectTimeToDrain,
  readManifests,
  statusOfOps,
  unknownVariables,
} from './kubernetes-manifests.ts'

const run = promisify(execFile)
const CHART = fileURLToPath(new URL('../../../../deploy/helm/svc', import.meta.url))
const read = (path: string) => readFileSync(join(CHART, path), 'utf8')

const deployment = read('templates/deployment.yaml')
const all = (pattern: RegExp) => [...deployment.matchAll(pattern)].map(([, found = '']) => found)

const Values = z.record(z.string(), z.unknown())

describe('the Helm chart, as its files say', () => {
  const values = Values.parse(parseYaml(read('values.yaml')))
  const validate = new Ajv({ strict: false }).compile(JSON.parse(read('values.schema.json')))

  test('has values that their schema takes, and refuses others', () => {
    expect(validate(values) ? [] : validate.errors).toEqual([])
    for (const wrong of [
      { replicas: '3' },
      { replica: 3 },
      { strategy: 'Surge' },
      { env: { lower: 'a' } },
      { secret: undefined },
      { volumes: [{ secret: {} }] },
      { networkPolicy: { enabled: true, opsFrom: [] } },
    ]) {
      expect(validate({ ...values, ...wrong })).toBe(false)
    }
    expect(validate({ ...values, terminationGracePeriodSeconds: Math.floor(STOP_MS / 1_000) })).toBe(false)
  })

  test('reads values that there are', () => {
    const templates = readdirSync(join(CHART, 'templates')).map((name) => read(`templates/${name}`))
    const paths = templates.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path))
    expect(paths.length).toBeGreaterThan(15)
    const valueAt = (path: string) =>
      path.split('.').reduce<unknown>((value, name) => Values.parse(value)[name], values)
    expect(paths.filter((path) => valueAt(path) === undefined)).toEqual([])
  })

  test('sets variables that the server reads, on the ports that its probes ask', async () => {
    const names = all(/\{ name: ([A-Z][A-Z_]+), value: /g)
    expect(names).toContain('SVC_NODE_URL')
    expect(unknownVariables(names)).toEqual([])
    const probes = [...deployment.matchAll(/httpGet: \{ path: (\S+), port: (\w+) \}/g)]
    expect(probes).toHaveLength(3)
    for (const [, path = '', port] of probes) expect([port, await statusOfOps(path)]).toEqual(['ops', 200])
    expect(all(/name: PORT, value: "(\d+)"/g)).toEqual(all(/name: http, containerPort: (\d+)/g))
    expect(all(/name: SVC_OPS_PORT, value: "(\d+)"/g)).toEqual(all(/name: ops, containerPort: (\d+)/g))
    expect(deployment).toContain('value: "http://$(POD_IP):8787"')
  })

  test('waits longer for readiness than it asks the database for, and lets the largest body through', () => {
    for (const probe of ['startupProbe', 'readinessProbe']) {
      expect(deployment).toMatch(new RegExp(`${probe}:[^-]*?timeoutSeconds: 3\\b`))
    }
    expect(read('values.yaml')).toContain('proxy-body-size: 2m')
  })

  test('runs as nobody, on a file system that it cannot write to', () => {
    expect(deployment).toContain('runAsNonRoot: true')
    expect(deployment).toContain('readOnlyRootFilesystem: true')
    expect(deployment).toContain('capabilities: { drop: [ALL] }')
  })
})

const Scaled = z.object({
  spec: z.object({
    replicas: z.undefined().optional(),
    template: z.object({
      metadata: z.object({ annotations: Values }),
      spec: z.object({
        volumes: z.array(Values),
        containers: z.tuple([z.object({ image: z.string(), env: z.array(Values) })]),
      }),
    }),
  }),
})

needs('helm')('the Helm chart, as Helm renders it', () => {
  const render = async (...options: string[]) => {
    const { stdout } = await run(locate('helm'), ['template', 'svc', CHART, ...options])
    return stdout.split(/^---$/m).flatMap((document) => (document.trim() === '' ? [] : [parseYaml(document)]))
  }

  test('has what the manifests for Kubernetes have', async () => {
    const manifests = readManifests(await render())
    expectKnownVariables(manifests)
    expectOnePort(manifests)
    await expectAnsweredProbes(manifests)
    expectTimeToDrain(manifests)
  })

  test('has an ingress, an autoscaler and further variables where they are asked for', async () => {
    const certificate =
      'volumes[0].name=ca,volumes[0].secret.secretName=ca,volumeMounts[0].name=ca,volumeMounts[0].mountPath=/ca'
    const further = 'env.SVC_LIMIT_HELD_BYTES=300000000,podAnnotations.team=blue,image.tag=v9'
    const documents = await render(
      '--set',
      `ingress.enabled=true,autoscaling.enabled=true,networkPolicy.enabled=true,${further}`,
      '--set',
      certificate,
    )
    const kinds = documents.map((document) => Values.parse(document)['kind']).sort()
    expect(kinds).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ])
    const { spec } = Scaled.parse(documents.find((document) => Values.parse(document)['kind'] === 'Deployment'))
    expect(spec.replicas).toBeUndefined()
    expect(spec.template.metadata.annotations).toMatchObject({ team: 'blue' })
    expect(spec.template.spec.volumes).toContainEqual({ name: 'ca', secret: { secretName: 'ca' } })
    const [{ image, env }] = spec.template.spec.containers
    expect(image).toBe('registry.example.com/svc:v9')
    expect(env).toContainEqual({ name: 'SVC_LIMIT_HELD_BYTES', value: '300000000' })
  })
})
