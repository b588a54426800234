import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { freePort, untilListening } from '../../support/free-port.ts'
import type { ScenarioContext } from '../../support/scenario.ts'
import { requireTools } from '../../support/tools.ts'

const CONFIG = fileURLToPath(new URL('../../../../../deploy/haproxy.cfg', import.meta.url))

/** Starts HAProxy with the file of the composition, but for where things are. Returns its address. */
export async function startBalancer(
  { env, onEnd }: ScenarioContext,
  { hosts, port, opsPort }: { hosts: readonly string[]; port: number; opsPort: number },
): Promise<string> {
  requireTools(['haproxy'], env)
  const publicPort = await freePort()
  const servers = hosts.map((host, index) => `server svc${index} ${host}:${port}`).join('\n    ')
  const config = readFileSync(CONFIG, 'utf8')
    .replace('bind :8787', `bind 127.0.0.1:${publicPort}`)
    .replace('check port 9464', `check port ${opsPort}`)
    .replace(' resolvers inner init-addr none', '')
    .replace('server-template svc 10 svc:8787', servers)
  const folder = mkdtempSync(join(tmpdir(), 'svc-balancer-'))
  onEnd(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, config)
  const { child, ended } = startProgram('haproxy', ['-db', '-f', file], { env: { PATH: env['PATH'] } })
  onEnd(() => {
    child.kill('SIGKILL')
    return ended
  })
  await untilListening(publicPort, ended)
  return `http://127.0.0.1:${publicPort}`
}
