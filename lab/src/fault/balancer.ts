import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { freePort, requireTools, temporaryFolder, untilListening } from '../support/programs.ts'
import type { ScenarioContext } from '../support/scenario.ts'
import { until } from '../support/within.ts'

/** Where replicas listen, on the same ports. */
export const HOSTS = ['127.0.0.2', '127.0.0.3', '127.0.0.4'] as const

const CONFIG = fileURLToPath(new URL('../../../deploy/haproxy.cfg', import.meta.url))
const READY_MS = 60_000

/** Starts HAProxy with the file of the composition, but for where things are. Returns its address once it is of use. */
export async function startBalancer(context: ScenarioContext, { port, opsPort }: { port: number; opsPort: number }) {
  requireTools(['haproxy'], context.env)
  const publicPort = await freePort()
  const servers = HOSTS.map((host, index) => `server svc${index} ${host}:${port}`).join('\n    ')
  const config = readFileSync(CONFIG, 'utf8')
    .replace('bind :8787', `bind 127.0.0.1:${publicPort}`)
    .replace('check port 9464', `check port ${opsPort}`)
    .replace(' resolvers inner init-addr none', '')
    .replace('server-template svc 10 svc:8787', servers)
  const file = join(temporaryFolder(context), 'haproxy.cfg')
  writeFileSync(file, config)
  const { child, ended } = startProgram('haproxy', ['-db', '-f', file], { env: { PATH: context.env['PATH'] } })
  context.onEnd(() => {
    child.kill('SIGKILL')
    return ended
  })
  await untilListening(publicPort, ended)
  const url = `http://127.0.0.1:${publicPort}`
  await until(() => isOk(`${url}/health`), READY_MS, 100)
  return url
}

export function isOk(url: string): Promise<boolean> {
  const asked = fetch(url, { headers: { connection: 'close' } })
  return asked.then(({ ok }) => ok).catch(() => false)
}
