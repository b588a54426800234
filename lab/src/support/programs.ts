import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram, listenOnFreePort } from '@svc/testkit'
import type { ScenarioContext } from './scenario.ts'
import { until } from './within.ts'

/** Programs that come with no npm package, by the Debian package that brings each. */
const PACKAGES = {
  haproxy: 'haproxy',
  wrk: 'wrk',
  nginx: 'nginx-light',
  taskset: 'util-linux',
  openssl: 'openssl',
  strace: 'strace',
} as const

/** Throws a sentence that says what to install. */
export function requireTools(tools: readonly (keyof typeof PACKAGES)[], env: NodeJS.ProcessEnv): void {
  const missing = tools.filter((tool) => findProgram(tool, env) === null)
  if (missing.length === 0) return
  const packages = missing.map((tool) => PACKAGES[tool]).join(' ')
  throw new Error(`this scenario needs ${missing.join(' and ')}: apt-get install ${packages}`)
}

/** A port for a program that cannot tell which one it was given. */
export async function freePort(): Promise<number> {
  const listening = await listenOnFreePort(createServer())
  await listening.close()
  return listening.port
}

/** Resolves when something listens there; rejects after half a minute, or as soon as `ended` settles. */
export async function untilListening(port: number, ended: Promise<unknown>): Promise<void> {
  let hasEnded = false
  const note = () => {
    hasEnded = true
  }
  ended.then(note, note)
  if (await until(async () => hasEnded || (await isListening(port)), 30_000, 25)) {
    if (!hasEnded) return
    throw new Error(`the program for port ${port} ended`)
  }
  throw new Error(`nothing listens on port ${port}`)
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy())
}

/** A new folder, removed with the scenario. */
export function temporaryFolder({ onEnd }: Pick<ScenarioContext, 'onEnd'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lab-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
