import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseYaml } from '@redocly/openapi-core'
import { parse as parseToml } from 'smol-toml'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { STOP_MS } from '../../src/lib/stop-in-time.ts'
import { statusOfOps, unknownVariables } from './kubernetes-manifests.ts'

// The hosts themselves are not asked: what is held is that their files fit the server and the tree.
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const HEALTH = z.literal('/health')
const LONGER_THAN_DRAINING = z.number().gt(STOP_MS / 1_000)

const Fly = z.object({
  kill_signal: z.literal('SIGTERM'),
  kill_timeout: LONGER_THAN_DRAINING,
  build: z.object({ dockerfile: z.string() }),
  env: z.record(z.string(), z.string()),
  http_service: z.object({ internal_port: z.number(), checks: z.tuple([z.object({ path: HEALTH })]) }),
  checks: z.object({ ready: z.object({ port: z.number(), path: z.string() }) }),
  metrics: z.object({ port: z.number(), path: z.string() }),
})

test('fly.toml sets variables that the server reads, and asks for ports and paths that it has', async () => {
  const { env, build, http_service, checks, metrics } = Fly.parse(parseToml(read('deploy/fly.toml')))
  expectNoSecrets(env)
  expect(existsSync(join(ROOT, 'deploy', build.dockerfile))).toBe(true)
  expect(env['PORT']).toBe(String(http_service.internal_port))
  expect(env['SVC_TRUST_PROXY']).toBe('2')
  for (const { port, path } of [checks.ready, metrics]) {
    expect([String(port), await statusOfOps(path)]).toEqual([env['SVC_OPS_PORT'], 200])
  }
})

const Railway = z.object({
  build: z.object({ dockerfilePath: z.string() }),
  deploy: z.object({ healthcheckPath: HEALTH, drainingSeconds: LONGER_THAN_DRAINING }),
})

test('railway.json asks for what the server has, and its page for variables that the server reads', () => {
  const { build } = Railway.parse(JSON.parse(read('deploy/railway.json')))
  expect(existsSync(join(ROOT, build.dockerfilePath))).toBe(true)
  const [, section = ''] = /^### Railway\n([\s\S]*?)^### /m.exec(read('docs/operating/recipes.md')) ?? []
  const rows = section.match(/^\| `.*? \|/gm) ?? []
  const names = [...rows.join('').matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name)
  expect(names).toContain('SVC_MASTER_KEY')
  expect(unknownVariables(names)).toEqual([])
  expect(section).toContain('| `SVC_TRUST_PROXY` | `2` |')
})

const Variable = z.object({ key: z.string(), value: z.string().optional(), fromDatabase: z.unknown().optional() })
const Render = z.object({
  services: z.tuple([
    z.object({
      dockerfilePath: z.string(),
      healthCheckPath: HEALTH,
      maxShutdownDelaySeconds: LONGER_THAN_DRAINING,
      envVars: z.array(Variable),
    }),
  ]),
  databases: z.tuple([z.object({ name: z.string(), ipAllowList: z.tuple([]) })]),
})

test('render.yaml sets variables that the server reads, and names its own database', () => {
  const { services, databases } = Render.parse(parseYaml(read('deploy/render.yaml')))
  const [{ envVars, dockerfilePath }] = services
  expect(existsSync(join(ROOT, dockerfilePath))).toBe(true)
  expect(unknownVariables(envVars.map(({ key }) => key))).toEqual([])
  expectNoSecrets(Object.fromEntries(envVars.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value]]))))
  expect(envVars).toContainEqual({ key: 'SVC_TRUST_PROXY', value: '3' })
  const database = envVars.find(({ key }) => key === 'DATABASE_URL')?.fromDatabase
  expect(database).toEqual({ name: databases[0].name, property: 'connectionString' })
})

function expectNoSecrets(env: Readonly<Record<string, string>>): void {
  const names = Object.keys(env)
  expect(unknownVariables(names)).toEqual([])
  expect(names.filter((name) => /KEY|SECRET|DATABASE/.test(name))).toEqual([])
  expect(env['SVC_BASE_URL']).toMatch(/^https:/)
}
