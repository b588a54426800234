import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '@svc/testkit'
import { freePort, type Listener, startListener } from '../support/programs.ts'
import type { ScenarioContext } from '../support/scenario.ts'

/** The peer: a gateway to model providers that installs from npm and runs alone. */
const PEER_PACKAGE = '@portkey-ai/gateway'
const PEER_VERSION = '1.15.2'

/** Headers that name the provider for one request. */
export function peerHeaders(modelUrl: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    authorization: 'Bearer sk-none',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${modelUrl}/v1`,
  }
}

/** Installs it into the user's cache folder where it is not there yet, and starts it. Needs the npm registry once. */
export async function startPeer(context: ScenarioContext): Promise<Listener> {
  const { env } = context
  const folder = join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'svc-lab', `portkey-${PEER_VERSION}`)
  const program = join(folder, 'node_modules', PEER_PACKAGE, 'build', 'start-server.js')
  if (!existsSync(program)) await install(env, folder)
  const port = await freePort()
  const variables = { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1' }
  return startListener(context, [process.execPath, program, `--port=${port}`, '--headless'], { port, variables })
}

async function install(env: NodeJS.ProcessEnv, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const options = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']
  const end = await startProgram('npm', ['install', ...options, `${PEER_PACKAGE}@${PEER_VERSION}`], { env }).ended
  if (end.code !== 0) throw new Error(`${PEER_PACKAGE} could not be installed: ${end.stderr}`)
}
