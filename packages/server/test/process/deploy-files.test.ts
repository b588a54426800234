import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseYaml } from '@redocly/openapi-core'
import { locate, needs } from '@svc/testkit/needs'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { STOP_MS } from '../../src/lib/stop-in-time.ts'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import { createPrometheusMetrics } from '../../src/telemetry/prometheus-metrics.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import {
  expectAnsweredProbes,
  expectKnownVariables,
  expectOnePort,
  expectTimeToDrain,
  readManifests,
  unknownVariables,
} from './kubernetes-manifests.ts'
import { createFolder } from './server-process.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Series of Prometheus itself, and labels that it adds. */
const OWN_SERIES = ['up']
const OWN_LABELS = ['instance', 'job']

/** Every series of `/metrics`, with the names of its labels: of a service that has counted each thing once. */
async function knownSeries(): Promise<Map<string, Set<string>>> {
  const metrics = createPrometheusMetrics()
  metrics.requestEnded({ method: 'GET', route: '/', status: 200, durationMs: 1 })
  metrics.requestRefused('event_loop')
  metrics.admissionRefused('rate')
  metrics.executionEnded({ kind: 'execute', status: 'completed', finishReason: 'stop', durationMs: 1 })
  metrics.modelCallEnded({ provider: 'demo', outcome: 'completed', durationMs: 1, inputTokens: 1, outputTokens: 1 })
  metrics.callEnded({ outcome: 'completed', durationMs: 1 })
  metrics.batchEnded({ name: 'calls', size: 1, durationMs: 1 })
  metrics.databaseFailed('lease')
  metrics.leaseRenewed('renewed')
  const zero = () => 0
  metrics.watch({
    ...{ svc_running_executions: zero, svc_held_bytes: zero, svc_open_circuits: zero, svc_unwritten_outcomes: zero },
    ...{ svc_unknown_admissions: zero, svc_clock_offset_seconds: zero, svc_lease_held: zero, svc_draining: zero },
    ...{ svc_streamed_runs: zero, svc_stream_event_bytes: zero },
    queued: zero,
    pool: null,
  })
  const known = new Map(OWN_SERIES.map((name) => [name, new Set<string>()]))
  for (const [, name = '', labels = ''] of (await metrics.text()).matchAll(/^(\w+)(?:\{([^}]*)\})? \S+$/gm)) {
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label)
    known.set(name, new Set([...(known.get(name) ?? []), ...names]))
  }
  return known
}

/** Series and labels of a query that `/metrics` does not have. */
function unknownIn(query: string, known: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const bare = query.replace(/"[^"]*"/g, '""').replace(/\[[^\]]*\]/g, '')
  const series = [...bare.matchAll(/\b(?:svc|nodejs|process)_\w+|\bup\b/g)].map(([name]) => name)
  if (series.length === 0) return [`no series in ${query}`]
  const labels = new Set([...OWN_LABELS, ...series.flatMap((name) => [...(known.get(name) ?? [])])])
  const used = [...bare.matchAll(/(?:\bby \(|\{)([^)}]*)[)}]/g)].flatMap(
    ([, list = '']) => list.match(/[a-z]\w*/g) ?? [],
  )
  return [...series.filter((name) => !known.has(name)), ...used.filter((label) => !labels.has(label))]
}

const Rule = z.strictObject({
  alert: z.string().regex(/^Svc[A-Z]\w+$/),
  expr: z.string(),
  for: z
    .string()
    .regex(/^\d+[sm]$/)
    .optional(),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
  annotations: z.strictObject({ summary: z.string().min(20) }),
})
const Rules = z.strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(Rule) })) })

describe('the alert rules', () => {
  const rules = Rules.parse(parseYaml(read('deploy/alerts.yaml'))).groups.flatMap((group) => group.rules)

  test('have names of their own, and ask for series and labels that the service has', async () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    const known = await knownSeries()
    expect(rules.flatMap(({ expr }) => unknownIn(expr, known))).toEqual([])
    // The check itself finds what is not there.
    expect(unknownIn('sum by (reasons) (svc_lease_hold{place="a"})', known)).toEqual([
      'svc_lease_hold',
      'reasons',
      'place',
    ])
  })

  test('are read by the Prometheus of compose.yaml, and each is on the page', () => {
    expect(read('deploy/prometheus.yaml')).toContain('rule_files: [alerts.yaml]')
    expect(read('compose.yaml')).toContain('./deploy/alerts.yaml:/etc/prometheus/alerts.yaml:ro')
    const page = read('docs/operating/metrics.md')
    expect(rules.map(({ alert }) => alert).filter((alert) => !page.includes(`\`${alert}\``))).toEqual([])
  })
})

needs('promtool')('the alert rules, as Prometheus reads them', () => {
  test('are valid, and so is the file that names them', async () => {
    const { stdout } = await run(locate('promtool'), ['check', 'config', join(ROOT, 'deploy/prometheus.yaml')])
    expect(stdout).toContain('SUCCESS')
  })

  test('fire when they should: not for the broker’s 502, and not for a replica that drains', async () => {
    const series = (name: string, values: string) => ({ series: name, values })
    const requests = 'svc_http_request_duration_seconds_count'
    const alerts = (alertname: string, exp_alerts: object[]) => ({ eval_time: '20m', alertname, exp_alerts })
    const held = { exp_labels: { severity: 'page', instance: 'b' }, exp_annotations: expect.anything() }
    const firing = ({ exp_labels }: typeof held, summary: string) => ({ exp_labels, exp_annotations: { summary } })
    const tests = [
      {
        interval: '1m',
        input_series: [
          series(`${requests}{status="2xx",route="/v1/runtime/execute"}`, '0+100x30'),
          series(`${requests}{status="5xx",route="/v1/capabilities/:runtimeId/:capability"}`, '0+50x30'),
          series('svc_lease_held{instance="a"}', '0x30'),
          series('svc_draining{instance="a"}', '1x30'),
          series('svc_lease_held{instance="b"}', '0x30'),
          series('svc_draining{instance="b"}', '0x30'),
        ],
        alert_rule_test: [
          alerts('SvcServerErrors', []),
          alerts('SvcLeaseLost', [
            firing(held, 'The replica b lost its lease and admits nothing. Is its database away?'),
          ]),
        ],
      },
    ]
    const file = join(createFolder(), 'test.yaml')
    // JSON is YAML, too.
    writeFileSync(file, JSON.stringify({ rule_files: [join(ROOT, 'deploy/alerts.yaml')], tests }))
    expect((await run(locate('promtool'), ['test', 'rules', file])).stdout).toContain('SUCCESS')
  })
})

describeEngine('postgres', 'the advice on vacuum', (engine) => {
  const database = useDatabase(engine)

  test('names tables and settings that there are', async () => {
    const page = read('docs/operating/postgresql-and-replicas.md')
    const section = page.slice(page.indexOf('## Vacuum and growth'))
    const statements = [...section.matchAll(/```sql\n([\s\S]+?)```/g)].flatMap(([, block = '']) => block.split(';'))
    const written = statements.filter((statement) => statement.trim() !== '')
    expect(written).toHaveLength(3)
    for (const statement of written) await sql.raw(statement).execute(database().db)
  })
})

const Panel = z.object({
  id: z.number(),
  title: z.string(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(z.object({ expr: z.string(), datasource: z.object({ uid: z.literal(`\${datasource}`) }) })).min(1),
})

test('the dashboard’s panels ask for series that the service has, and lie beside each other', async () => {
  const { panels } = z.object({ panels: z.array(Panel) }).parse(JSON.parse(read('deploy/grafana-dashboard.json')))
  const known = await knownSeries()
  expect(panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => unknownIn(expr, known)))).toEqual([])
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
})

const Secret = z.object({
  kind: z.literal('Secret'),
  metadata: z.object({ name: z.string() }),
  stringData: z.record(z.string(), z.string()),
})

test('the unit of systemd starts what is built, lets it drain, and gives it descriptors for its connections', () => {
  const settings = new Map<string, string>()
  for (const [, name = '', value = ''] of read('deploy/svc.service').matchAll(/^(\w+)=(.*)$/gm))
    settings.set(name, value)
  expect(settings.get('ExecStart')).toMatch(/node packages\/server\/dist\/bundle\/main\.js$/)
  expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThan(STOP_MS / 1_000)
  expect(Number(settings.get('LimitNOFILE'))).toBeGreaterThan(DEFAULT_LIMITS.connections)
  const names = [...(settings.get('Environment') ?? '').matchAll(/(\w+)=/g)].map(([, name = '']) => name)
  expect(names).toContain('NODE_ENV')
  expect(unknownVariables(names.filter((name) => name !== 'NODE_ENV'))).toEqual([])
})

describe('the manifests for Kubernetes', () => {
  const documents = read('deploy/kubernetes.yaml').split(/^---$/m)
  const manifests = readManifests(documents.map((document) => parseYaml(document)))

  test('set variables that the server reads, secrets in the one Secret alone, which holds none', () => {
    const [container] = manifests.deployment.spec.template.spec.containers
    const secret = Secret.parse(parseYaml(documents[0] ?? ''))
    expectKnownVariables(manifests)
    expect(unknownVariables(Object.keys(secret.stringData))).toEqual([])
    expect(container.envFrom).toEqual([{ secretRef: { name: secret.metadata.name } }])
    expect(Object.values(secret.stringData).filter((text) => !/<\w+>/.test(text))).toEqual([])
  })

  test('select the same pods everywhere, and open the service’s port alone', () => {
    expectOnePort(manifests)
  })

  test('ask what the operations port answers, and give readiness longer than it asks the database for', async () => {
    await expectAnsweredProbes(manifests)
  })

  test('wait longer for a pod than it takes to drain, and take requests while proxies hear of its end', () => {
    expectTimeToDrain(manifests)
  })
})
