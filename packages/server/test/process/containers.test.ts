import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseYaml } from '@redocly/openapi-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

// What can be held without a container engine: that the files fit each other and the tree.
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The paths that a pattern with a star for one folder stands for. */
function matching(pattern: string): string[] {
  const [before = '', after] = pattern.split('*')
  const paths = after === undefined ? [pattern] : readdirSync(join(ROOT, before)).map((name) => before + name + after)
  return paths.filter((path) => existsSync(join(ROOT, path)))
}

interface Instruction {
  name: string
  words: string[]
}

function instructionsOf(dockerfile: string): Instruction[] {
  const lines = dockerfile.replaceAll(/\\\n\s*/g, '').split('\n')
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [name = '', ...words] = line.trim().split(/\s+/)
      return { name, words }
    })
}

const instructions = instructionsOf(read('Dockerfile'))
const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'))

/** What each COPY takes from the folder that the image is built from. */
const copied = instructions
  .filter(({ name, words }) => name === 'COPY' && !words.some((word) => word.startsWith('--from=')))
  .flatMap(({ words }) => words.slice(0, -1))

describe('the image', () => {
  test('copies files that are there, and that .dockerignore lets through', () => {
    expect(copied.length).toBeGreaterThan(5)
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    const [everything, ...exceptions] = read('.dockerignore')
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
    expect(everything).toBe('*')
    const allowed = exceptions.map((line) => line.replace(/^!/, ''))
    expect(allowed.filter((pattern) => matching(pattern).length === 0)).toEqual([])
    const passes = (path: string) =>
      allowed.some((pattern) => matching(pattern).some((file) => file === path || file.startsWith(`${path}/`)))
    expect(copied.filter((path) => !passes(path))).toEqual([])
  })

  test('brings every script that a command of it starts, and the widget with what it was compressed to', () => {
    const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')))
    const run = instructions.filter(({ name }) => name === 'RUN').map(({ words }) => words.join(' '))
    const commands = [...run.join(' ').matchAll(/npm run -s ([\w:]+)/g)].map(([, name = '']) => scripts[name] ?? '')
    const files = commands.flatMap((command) => [...command.matchAll(/node (\S+)/g)].map(([, file = '']) => file))
    expect(files.length).toBeGreaterThan(0)
    expect(files.filter((file) => !copied.some((path) => file.startsWith(`${path}/`)))).toEqual([])
    const taken = lastStage.filter(({ name }) => name === 'COPY').flatMap(({ words }) => words)
    expect(taken).toEqual(
      expect.arrayContaining(['/app/packages/widget/dist/widget.js*', '/app/packages/widget/dist/cards.html']),
    )
  })

  test('knows the package file of every workspace, without which npm ci refuses the lock file', () => {
    const { workspaces } = z.object({ workspaces: z.array(z.string()) }).parse(JSON.parse(read('package.json')))
    const files = workspaces.flatMap((pattern) => matching(`${pattern}/package.json`))
    expect(files.filter((file) => !copied.includes(file))).toEqual([])
  })

  test('has nothing of what only tests and builds use', () => {
    const stage = instructions.slice(instructions.findIndex(({ words }) => words.join(' ') === 'base AS dependencies'))
    const install = stage.find(({ name }) => name === 'RUN')?.words ?? []
    // A package that both a test and an optional peer ask for is optional to npm, and stays without the second.
    expect(install).toEqual(expect.arrayContaining(['--omit=dev', '--omit=optional', 'node_modules/playwright-core']))
  })

  test('runs the built server with nobody’s rights, is told to stop by SIGTERM, and asks itself whether it lives', () => {
    const of = (name: string) => lastStage.filter((each) => each.name === name).map(({ words }) => words.join(' '))
    expect(of('USER')).toEqual(['node'])
    expect(of('STOPSIGNAL')).toEqual(['SIGTERM'])
    expect(of('CMD')).toEqual(['["node", "packages/server/dist/bundle/main.js"]'])
    expect(of('HEALTHCHECK').join()).toContain('/health')
    const images = instructions.filter(({ name }) => name === 'FROM').map(({ words: [image = ''] }) => image)
    const bases = images.filter((image) => image.includes(':'))
    expect(bases).toHaveLength(2)
    expect(bases.filter((image) => !/^node:24\.\d+\.\d+-bookworm(-slim)?@sha256:[0-9a-f]{64}$/.test(image))).toEqual([])
    // One version: what one stage compiles the other one loads.
    expect(new Set(bases.map((image) => image.split('-')[0])).size).toBe(1)
  })
})

/** Of one replica, but for the one while it migrates. */
const CONNECTIONS = 10

const Service = z.object({
  image: z.string().optional(),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z.unknown().optional(),
  logging: z.object({ options: z.object({ 'max-size': z.string(), 'max-file': z.string() }) }).optional(),
  env_file: z.array(z.object({ path: z.string(), required: z.boolean() })).default([]),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  deploy: z.object({ replicas: z.number() }).optional(),
  stop_grace_period: z.string().optional(),
})
const Compose = z.object({
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.unknown()),
})

describe('the composition', () => {
  const text = read('compose.yaml')
  const { services, volumes } = Compose.parse(parseYaml(text))

  test('has three replicas on one database, of which the balancer’s port alone is open', () => {
    expect(services['svc']?.deploy?.replicas).toBe(3)
    expect(services['svc']?.ports).toEqual([])
    expect(services['postgres']?.ports).toEqual([])
    expect(services['balancer']?.ports).toEqual([expect.stringMatching(/^\$\{SVC_PORT:-8787\}:8787$/)])
  })

  test('does not start without its secrets, and holds none', () => {
    const { DATABASE_URL = '', SVC_MASTER_KEY = '' } = services['svc']?.environment ?? {}
    for (const value of [DATABASE_URL, SVC_MASTER_KEY, services['postgres']?.environment['POSTGRES_PASSWORD'] ?? '']) {
      expect(value).toMatch(/\$\{[A-Z_]+:\?put [A-Z_]+ into \.env, made with openssl rand /)
    }
  })

  test('gives the server every variable of its .env, but for what it sets itself', () => {
    const { env_file: files = [], environment = {} } = services['svc'] ?? {}
    expect(files).toEqual([{ path: '.env', required: false }])
    const rows =
      read('docs/reference/configuration.md')
        .match(/^\|.*\|$/gm)
        ?.join('\n') ?? ''
    const documented = [...new Set(rows.match(/(?<=`)[A-Z][A-Z_]{3,}(?=`)/g))]
    expect(documented).toEqual(expect.arrayContaining(['SVC_MODEL_BASE_URL', 'STRIPE_SECRET_KEY', 'SVC_LIMIT_STEPS']))
    expect(documented.filter((name) => name in environment).sort()).toEqual([
      'DATABASE_URL',
      'HOST',
      'PORT',
      'SVC_BASE_URL',
      'SVC_DRAIN_DELAY_MS',
      'SVC_MASTER_KEY',
      'SVC_OPS_HOST',
      'SVC_OPS_PORT',
      'SVC_TRUST_PROXY',
    ])
    expect(Object.keys(environment).filter((name) => !documented.includes(name))).toEqual([])
  })

  test('mounts files that are there and volumes that are declared, and no image moves by itself', () => {
    const sources = Object.values(services).flatMap((service) =>
      service.volumes.map((volume) => volume.split(':')[0] ?? ''),
    )
    expect(
      sources.filter((source) => !(source.startsWith('./') ? existsSync(join(ROOT, source)) : source in volumes)),
    ).toEqual([])
    const images = Object.values(services).flatMap(({ image }) => image ?? [])
    expect(images.filter((image) => !/:v?\d[\w.-]*@sha256:[0-9a-f]{64}$/.test(image))).toEqual([])
  })

  test('stops the balancer beside the replicas and after them, so that what is under way is answered', () => {
    const { balancer, svc } = services
    // A service that depends on another is stopped before it.
    expect(balancer?.depends_on).toBeUndefined()
    expect(Number.parseInt(balancer?.stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(
      Number.parseInt(svc?.stop_grace_period ?? '', 10),
    )
  })

  test('has connections for as many replicas as the balancer knows, while each of them migrates, too', () => {
    const [, replicas] = read('deploy/haproxy.cfg').match(/server-template svc (\d+) /) ?? []
    const [, connections] = services['postgres']?.command.join(' ').match(/max_connections=(\d+)/) ?? []
    expect(Number(connections)).toBeGreaterThan(Number(replicas) * (CONNECTIONS + 1))
  })

  test('bounds what it keeps of every log', () => {
    for (const { logging } of Object.values(services)) {
      expect(logging?.options).toEqual({ 'max-size': expect.stringMatching(/^\d+m$/), 'max-file': expect.anything() })
    }
  })

  test('counts the balancer as the one proxy, unless .env says that there are more', () => {
    expect(services['svc']?.environment['SVC_TRUST_PROXY']).toMatch(/^\$\{SVC_TRUST_PROXY:-1\}$/)
  })

  test('says its address with the port that it is given', () => {
    const { SVC_BASE_URL: baseUrl } = services['svc']?.environment ?? {}
    expect(baseUrl).toMatch(/^\$\{SVC_BASE_URL:-http:\/\/localhost:\$\{SVC_PORT:-8787\}\}$/)
  })

  test('asks readiness where the server answers it, and waits longer for a replica than it takes to drain', () => {
    const { SVC_OPS_PORT: port, SVC_DRAIN_DELAY_MS: delay } = services['svc']?.environment ?? {}
    const balancer = read('deploy/haproxy.cfg')
    expect(balancer).toContain(`check port ${port} `)
    expect(balancer).toMatch(/uri \/ready /)
    expect(read('deploy/prometheus.yaml')).toContain(`port: ${port}`)
    expect(Number(delay)).toBeGreaterThanOrEqual(2_000)
    expect(Number.parseInt(services['svc']?.stop_grace_period ?? '', 10)).toBeGreaterThan(30)
  })
})
