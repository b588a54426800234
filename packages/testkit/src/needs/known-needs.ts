import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { createConnection } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findProgram, isExecutable } from './find-program.ts'

type Environment = NodeJS.ProcessEnv

interface KnownNeed {
  /** Where it is: a path, a URL or a module's file. Null where it is not on this machine. */
  find(env: Environment): string | null | Promise<string | null>
  /** What a person does to have it. */
  install: string
  /** The variable that says where it is. A wrong value fails the run. */
  variable?: string
  /** Skipped under `CI`, too: this says why it cannot be installed there. */
  absentInCi?: string
}

function program(name: string, debianPackage: string = name): KnownNeed {
  return { find: (env) => findProgram(name, env), install: `apt-get install ${debianPackage}` }
}

/** Everything beside Node and npm that a test of this repository may need. */
export const KNOWN_NEEDS = {
  postgres: {
    find: (env) => findPostgres(env['SVC_TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432'),
    install:
      'start PostgreSQL on 127.0.0.1:5432, or set SVC_TEST_DATABASE_URL to a server whose user may create databases',
    variable: 'SVC_TEST_DATABASE_URL',
  },
  'postgres-programs': { find: findPostgresPrograms, install: 'apt-get install postgresql' },
  redis: {
    find: (env) => findRedis(env['SVC_TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379'),
    install: 'start Redis on 127.0.0.1:6379, or set SVC_TEST_REDIS_URL',
    variable: 'SVC_TEST_REDIS_URL',
  },
  chromium: {
    find: (env) => findChromium(env),
    install: 'apt-get install chromium-headless-shell, or set CHROMIUM_PATH',
    variable: 'CHROMIUM_PATH',
  },
  haproxy: program('haproxy'),
  'haproxy-3': {
    find: (env) => (isHaproxy3(env) ? findProgram('haproxy', env) : null),
    install: 'install HAProxy 3.1 or newer',
    absentInCi: 'Debian 12 has HAProxy 2.6',
  },
  helm: { ...program('helm'), install: 'install Helm 3.8 or newer', absentInCi: 'Debian 12 has no package of it' },
  'network-namespaces': {
    find: (env) => (userInfo().uid === 0 ? findProgram('ip', env) : null),
    install: 'apt-get install iproute2, and run the tests as root',
  },
  nginx: program('nginx', 'nginx-light'),
  taskset: program('taskset', 'util-linux'),
  wrk: program('wrk'),
  curl: program('curl'),
  git: program('git'),
  go: program('go', 'golang-go'),
  openssl: program('openssl'),
  php: program('php', 'php-cli'),
  promtool: program('promtool', 'prometheus'),
  python3: program('python3'),
} satisfies Record<string, KnownNeed>

export type NeedName = keyof typeof KNOWN_NEEDS

/** Where each is; what is missing has no entry. */
export type Machine = Readonly<Partial<Record<NeedName, string>>>

const NAMES = Object.keys(KNOWN_NEEDS) as NeedName[]
const needOf = (name: NeedName): KnownNeed => KNOWN_NEEDS[name]

/** Looks once for everything. Throws where a variable names a place at which nothing is found. */
export async function inspectMachine(env: Environment): Promise<Machine> {
  const machine: Partial<Record<NeedName, string>> = {}
  await Promise.all(
    NAMES.map(async (name) => {
      const { find, variable, install } = needOf(name)
      const place = await find(env)
      if (place !== null) machine[name] = place
      else if (variable !== undefined && env[variable] !== undefined) {
        throw new Error(`${variable} is set, but ${name} is not found there: correct it, or ${install}`)
      }
    }),
  )
  return machine
}

/** One line for each need that must be met under `CI` and is not: its name, and how to meet it. */
export function missingInCi(machine: Machine): string[] {
  return NAMES.filter((name) => machine[name] === undefined && needOf(name).absentInCi === undefined).map(howToMeet)
}

export function howToMeet(name: NeedName): string {
  const { install, absentInCi } = needOf(name)
  return `${name}: ${install}${absentInCi === undefined ? '' : ` (${absentInCi})`}`
}

/** The needs that the title of a skipped test names. */
export function needsInTitle(title: string): NeedName[] {
  const [, list = ''] = /\(needs ([^)]+)\)/.exec(title) ?? []
  return NAMES.filter((name) => list.split(', ').includes(name))
}

async function findPostgres(url: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  try {
    await client.connect()
    return url
  } catch {
    return null
  } finally {
    await client.end()
  }
}

/** The folder of the newest version's programs, where Debian keeps them. */
function findPostgresPrograms(): string | null {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => join(root, version, 'bin')).find((bin) => isExecutable(join(bin, 'initdb'))) ?? null
}

function findRedis(url: string): Promise<string | null> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = createConnection({ host: hostname, port: Number(port || 6379), timeout: 2_000 })
    const end = (found: string | null) => {
      socket.destroy()
      resolve(found)
    }
    socket.on('connect', () => socket.write('PING\r\n'))
    // A server that wants a password answers with an error, and is there all the same.
    socket.on('data', () => end(url))
    socket.on('error', () => end(null))
    socket.on('timeout', () => end(null))
  })
}

// The headless shell takes about half the processor time of the whole browser.
const BROWSERS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

function findChromium(env: Environment): string | null {
  const named = env['CHROMIUM_PATH']
  if (named !== undefined) return isExecutable(named) ? named : null
  return BROWSERS.map((name) => findProgram(name, env)).find(Boolean) ?? null
}

function isHaproxy3(env: Environment): boolean {
  const path = findProgram('haproxy', env)
  if (path === null) return false
  const version = /version (\d+)\.(\d+)/.exec(execFileSync(path, ['-v'], { encoding: 'utf8' }))
  const [major, minor] = [Number(version?.[1]), Number(version?.[2])]
  return major > 3 || (major === 3 && minor >= 1)
}
