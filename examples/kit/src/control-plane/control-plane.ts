import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const SERVER = `${ROOT}packages/server/dist/bundle/main.js`
const ADMIN = `${ROOT}packages/server/dist/bundle/admin.js`
const CLI = `${ROOT}packages/cli/bin/svc.js`

const LISTENING = /listening on (\S+)/
// A second where the machine is free.
const START_MS = 60_000

const run = promisify(execFile)
const NewOwner = z.object({ ownerId: z.string(), apiKey: z.string() })

/** A control plane in a process of its own, and the commands that its operator and a runtime's owner would type. */
export interface ControlPlane {
  url: string
  /** What it printed when it came up. */
  summary: string
  createOwner(email: string): Promise<{ apiKey: string }>
  /** Runs `svc deploy` in a project's folder and returns what it printed. */
  svcDeploy(project: { folder: string; deployKey: string; env?: Readonly<Record<string, string>> }): Promise<string>
  stop(): Promise<void>
}

export interface ControlPlaneOptions {
  /** For its data. */
  folder: string
  port: number
  /** Variables that choose a model, in place of the demo model. */
  model?: Readonly<Record<string, string | undefined>>
}

/** Starts it and waits until it listens. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  // Nothing else of the environment: whatever credentials and settings are in it, the demo is the same everywhere.
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    HOST: '127.0.0.1',
    PORT: String(options.port),
    SVC_DATA_DIR: `${options.folder}/control-plane`,
    SVC_MODEL: 'demo:rules',
    SVC_LOG_LEVEL: 'warn',
    ...options.model,
  }
  // In a process group of its own: Ctrl+C is for the example, which then stops it in order.
  const server = spawn(process.execPath, [SERVER], { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const summary = await readUntilListening(server)
  const url = LISTENING.exec(summary)?.[1] ?? ''
  return {
    url,
    summary,
    async createOwner(email) {
      const { stdout } = await run(process.execPath, [ADMIN, 'create-owner', '--email', email, '--tier', 'pro'], {
        env,
      })
      return NewOwner.parse(JSON.parse(stdout))
    },
    async svcDeploy({ folder, deployKey, env: more }) {
      const deployEnv = { PATH: env.PATH, HOME: env.HOME, SVC_API_KEY: deployKey, SVC_BASE_URL: url, ...more }
      const { stdout } = await run(process.execPath, [CLI, 'deploy'], { cwd: folder, env: deployEnv })
      return stdout
    },
    async stop() {
      if (server.exitCode !== null) return
      server.kill('SIGTERM')
      const [code] = await once(server, 'exit')
      if (code !== 0) throw new Error(`the control plane stopped with exit code ${String(code)}`)
    },
  }
}

async function readUntilListening(server: ChildProcess): Promise<string> {
  let output = ''
  const deadline = setTimeout(() => server.kill('SIGKILL'), START_MS)
  try {
    for await (const chunk of server.stdout ?? []) {
      output += String(chunk)
      if (LISTENING.test(output) && output.endsWith('\n')) return output.trimEnd()
    }
  } finally {
    clearTimeout(deadline)
  }
  throw new Error(
    'the control plane did not come up; its own words stand above. If its port is taken, PORT names another one for this program, too.',
  )
}
