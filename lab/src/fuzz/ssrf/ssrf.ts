import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { requireTools, temporaryFolder } from '../../support/programs.ts'
import type { Scenario, ScenarioContext } from '../../support/scenario.ts'
import { judgeSsrf, SsrfReport } from './report.ts'
import { PUBLIC_V4 } from './spellings.ts'

const PROGRAM = fileURLToPath(new URL('./inside/main.js', import.meta.url))

export const ssrf: Scenario = {
  name: 'ssrf',
  title: 'no endpoint leads to an address that is not public',
  engines: [],
  async run(context) {
    const { seed, serverFolder, env, count, onEnd } = context
    const wanted = { spellings: count(500, 20), rebindings: count(10_000, 40) }
    const task = JSON.stringify({ seed, serverFolder, ...wanted, ...createCertificate(context) })
    const name = createNetwork(context)
    const args = ['netns', 'exec', name, process.execPath, PROGRAM, task]
    const started = startProgram('ip', args, { env: { PATH: env['PATH'] } })
    onEnd(() => started.child.kill('SIGKILL'))
    const end = await started.ended
    if (end.code !== 0) throw new Error(`the attack ended with ${end.code ?? end.signal}: ${end.stderr.slice(-2_000)}`)
    return judgeSsrf(SsrfReport.parse(JSON.parse(end.stdout)), wanted)
  },
}

/** A network namespace of its own: nothing leaves it, and every address of the internet is one of its own. */
function createNetwork({ onEnd }: ScenarioContext): string {
  if (userInfo().uid !== 0)
    throw new Error('a network namespace takes root: run as root, or leave ssrf out with --only')
  const name = `svc-${randomBytes(4).toString('hex')}`
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  ip('netns', 'add', name)
  onEnd(() => {
    ip('netns', 'del', name)
    rmSync(join('/etc/netns', name), { recursive: true, force: true })
  })
  // Bound over /etc/resolv.conf for programs inside.
  mkdirSync(join('/etc/netns', name), { recursive: true })
  writeFileSync(join('/etc/netns', name, 'resolv.conf'), 'nameserver 127.0.0.1\n')
  ip('-n', name, 'link', 'set', 'lo', 'up')
  ip('-n', name, 'addr', 'add', `${PUBLIC_V4}/32`, 'dev', 'lo')
  // A connection to any address is answered here.
  ip('-n', name, 'route', 'add', 'local', '0.0.0.0/0', 'dev', 'lo')
  ip('-n', name, '-6', 'route', 'add', 'local', '::/0', 'dev', 'lo')
  return name
}

/** A certificate that is its own authority, for the names and addresses that may be reached. */
function createCertificate(context: ScenarioContext): { keyFile: string; certificateFile: string } {
  requireTools(['openssl'], context.env)
  const folder = temporaryFolder(context)
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const names = `subjectAltName=IP:${PUBLIC_V4},DNS:good.test,DNS:*.rebind.test,DNS:*.wild.test`
  const key = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const files = ['-keyout', keyFile, '-out', certificateFile]
  execFileSync('openssl', [...key, '-subj', '/CN=good.test', '-addext', names, ...files], { stdio: 'ignore' })
  return { keyFile, certificateFile }
}
