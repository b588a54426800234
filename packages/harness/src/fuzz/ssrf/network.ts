import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PUBLIC_V4 } from './spellings.ts'

/** A network namespace of its own: nothing leaves it, and every address of the internet is one of its own. */
export interface Network {
  /** What a command is started with to run inside. */
  wrapper: readonly [string, ...string[]]
  remove(): void
}

/** Makes it. Throws a sentence that says what is missing. */
export function createNetwork(name: string, env: NodeJS.ProcessEnv, userId: number): Network {
  if (userId !== 0)
    throw new Error('a network namespace can be made by root alone: run as root, or leave ssrf out with --only')
  const ip = (...args: string[]) => run(env, 'ip', args, 'iproute2')
  ip('netns', 'add', name)
  const remove = () => {
    ip('netns', 'del', name)
    rmSync(join('/etc/netns', name), { recursive: true, force: true })
  }
  try {
    // Bound over /etc/resolv.conf for whoever runs inside.
    mkdirSync(join('/etc/netns', name), { recursive: true })
    writeFileSync(join('/etc/netns', name, 'resolv.conf'), 'nameserver 127.0.0.1\n')
    ip('-n', name, 'link', 'set', 'lo', 'up')
    ip('-n', name, 'addr', 'add', `${PUBLIC_V4}/32`, 'dev', 'lo')
    // Whatever address is connected to, it is here that it is answered.
    ip('-n', name, 'route', 'add', 'local', '0.0.0.0/0', 'dev', 'lo')
    ip('-n', name, '-6', 'route', 'add', 'local', '::/0', 'dev', 'lo')
  } catch (error) {
    remove()
    throw error
  }
  return { wrapper: ['ip', 'netns', 'exec', name], remove }
}

/** A certificate that is its own authority, for the names and addresses that may be reached. */
export function createCertificate(
  folder: string,
  env: NodeJS.ProcessEnv,
): { keyFile: string; certificateFile: string } {
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const names = `subjectAltName=IP:${PUBLIC_V4},DNS:good.test,DNS:*.rebind.test,DNS:*.wild.test`
  const key = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  run(
    env,
    'openssl',
    [...key, '-subj', '/CN=good.test', '-addext', names, '-keyout', keyFile, '-out', certificateFile],
    'openssl',
  )
  return { keyFile, certificateFile }
}

function run(env: NodeJS.ProcessEnv, program: string, args: readonly string[], debianPackage: string): void {
  const isThere = (env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, program)))
  if (!isThere) throw new Error(`${program} is missing: install the Debian package ${debianPackage}`)
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
