import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { requireTools, temporaryFolder } from '../../support/programs.ts'
import { type Check, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { attackFromInside } from './inside.ts'
import { PUBLIC_V4 } from './spellings.ts'

const PROGRAM = fileURLToPath(new URL('../../main.js', import.meta.url))
/** Tells the lab that it runs in the namespace, and where its certificate is. */
const INSIDE = 'SVC_LAB_INSIDE'

export const ssrf: Scenario = {
  name: 'ssrf',
  title: 'no endpoint leads to an address that is not public',
  engines: [],
  run(context) {
    const folder = context.env[INSIDE]
    if (folder === undefined) return runAgainInside(context)
    const certificateFile = join(folder, 'certificate.pem')
    const tls = { key: readFileSync(join(folder, 'key.pem'), 'utf8'), cert: readFileSync(certificateFile, 'utf8') }
    return attackFromInside(context, { tls, certificateFile })
  },
}

/** Runs this scenario once more, in a network namespace whose every address is a canary. */
async function runAgainInside({ seed, scale, serverFolder, env, onEnd, write, ...context }: ScenarioContext) {
  const folder = createCertificate({ ...context, env, onEnd })
  const inNamespace = ['netns', 'exec', createNetwork(onEnd), process.execPath, PROGRAM, 'fuzz']
  const options = ['--only', 'ssrf', '--seed', String(seed), '--scale', String(scale), '--server', serverFolder]
  const given = { PATH: env['PATH'], [INSIDE]: folder }
  const { child, ended } = startProgram('ip', [...inNamespace, ...options], { env: given })
  onEnd(() => child.kill('SIGKILL'))
  const { code, stdout, stderr } = await ended
  write(`${stdout}${stderr}`)
  const check: Check = exactly('exit code of the run in the namespace', code ?? -1, 0)
  return [check]
}

/** A network namespace of its own: nothing leaves it, and every address of the internet is one of its own. */
function createNetwork(onEnd: ScenarioContext['onEnd']): string {
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

/** The folder of a certificate that is its own authority, for the names and addresses that may be reached. */
function createCertificate(context: Pick<ScenarioContext, 'env' | 'onEnd'>): string {
  requireTools(['openssl'], context.env)
  const folder = temporaryFolder(context)
  const names = `subjectAltName=IP:${PUBLIC_V4},DNS:good.test,DNS:*.rebind.test,DNS:*.wild.test`
  const key = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')]
  execFileSync('openssl', [...key, '-subj', '/CN=good.test', '-addext', names, ...files], { stdio: 'ignore' })
  return folder
}
