import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { type Owner, register } from '../control-plane/register.ts'
import type { RunningSite } from '../http/start-site.ts'
import { createTeller } from './teller.ts'

export interface Example {
  /** As its runtime is called. */
  name: string
  /** The folder with its `svc.config.ts`. */
  project: string
  /** Who signs in to the dashboard. */
  owner: Owner
  /** Starts the application at this port, whose capabilities are at `/svc`. */
  start(place: Place): Promise<RunningSite>
  /** What to look at, by a name of 20 characters at most. */
  lookAt(links: Links): Readonly<Record<string, string>>
}

export interface Place {
  port: number
  /** For its data; gone afterwards. */
  folder: string
  /** What registering the runtime gave. */
  runtimeId: string
  secret: string
  publicKey: string
  baseUrl: string
  /** Tells the owner of a fault. */
  onError(error: unknown): void
}

export interface Links {
  site: string
  controlPlane: string
  runtimeId: string
}

/**
 * Starts a control plane, on 8787 or `PORT`, and the example, on 8788 or `SITE_PORT`; registers and deploys it. Both stay up until
 * the process is interrupted. 0 takes any free port. Without `SVC_MODEL` the demo model answers.
 */
export async function runExample(example: Example, program: NodeJS.Process): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-example-'))
  // Heard from now on, each time: a second Ctrl+C must not leave a control plane behind that nobody stops.
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) program.on(signal, () => resolve())
  })
  try {
    const port = Number(program.env['PORT'] ?? 8787)
    const controlPlane = await startControlPlane({ folder, port, model: chosenModel(program.env) })
    try {
      await serve(example, { controlPlane, folder, program, interrupted })
    } finally {
      await controlPlane.stop()
    }
  } catch (error) {
    program.stderr.write(`\nThe example failed: ${error instanceof Error ? error.message : String(error)}\n`)
    program.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

// A key that is set for something else is not spent by an example: `SVC_MODEL` has to name the model.
function chosenModel(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!env['SVC_MODEL']) return {}
  return Object.fromEntries(Object.entries(env).filter(([name]) => /^SVC_MODEL|_API_KEY$/.test(name)))
}

interface Stage {
  controlPlane: ControlPlane
  folder: string
  program: NodeJS.Process
  interrupted: Promise<void>
}

async function serve(example: Example, { controlPlane, folder, program, interrupted }: Stage): Promise<void> {
  const { name, project, owner } = example
  const tell = createTeller(program.stdout)
  const port = Number(program.env['SITE_PORT'] ?? 8788) || (await freePort())
  const endpoint = `http://127.0.0.1:${port}/svc`
  const { runtime } = await register(controlPlane, { owner, name, endpoint })
  const onError = (error: unknown) => void program.stderr.write(`${inspect(error)}\n`)
  const site = await example.start({ ...runtime, port, folder, baseUrl: controlPlane.url, onError })
  try {
    tell.step('svc deploy')
    tell.line((await controlPlane.svcDeploy({ folder: project, deployKey: runtime.deployKey })).trimEnd())
    tell.step('Have a look')
    const links = { site: site.url, controlPlane: controlPlane.url, runtimeId: runtime.runtimeId }
    for (const [what, where] of Object.entries(example.lookAt(links))) tell.fact(what, where)
    tell.fact('the dashboard', `${controlPlane.url}/dashboard\n${owner.email} with ${owner.password}`)
    tell.line('Ctrl+C stops both and removes their data.')
    await interrupted
  } finally {
    await site.close()
  }
}

// The endpoint is registered before its application starts, which needs what that gives.
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('there is no free port')
  return address.port
}
