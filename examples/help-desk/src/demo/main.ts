import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Place, type RunningSite, runExample } from '@svc/example-kit'
import { DEMO_USERS } from '../store/seed.ts'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))
const NEXT = createRequire(import.meta.url).resolve('next/dist/bin/next')
const START_MS = 30_000

const [{ email, password }] = DEMO_USERS
await runExample(
  {
    name: 'Help desk',
    project: PROJECT,
    owner: { email: 'owner@help.example.com', password: 'help-desk-demo' },
    start: startNext,
    lookAt: ({ site }) => ({ 'the help desk': `${site}\n${email} with ${password}: ask, and open a ticket` }),
  },
  process,
)

/** `next start` with what an owner would write into `.env`. */
async function startNext(place: Place): Promise<RunningSite> {
  const { port, folder, runtimeId, secret, baseUrl, publicKey } = place
  const env = {
    ...process.env,
    NODE_ENV: 'production' as const,
    NEXT_TELEMETRY_DISABLED: '1',
    HELP_DESK_DATABASE: join(folder, 'help-desk.sqlite'),
    SVC_RUNTIME_ID: runtimeId,
    SVC_RUNTIME_SECRET: secret,
    SVC_BASE_URL: baseUrl,
    SVC_PUBLIC_KEY: publicKey,
  }
  const listen = ['start', '--port', String(port), '--hostname', '127.0.0.1']
  // In a process group of its own: Ctrl+C is for the example, which then stops it in order.
  const next = spawn(process.execPath, [NEXT, ...listen], {
    cwd: PROJECT,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const close = async () => {
    if (next.exitCode !== null) return
    next.kill('SIGTERM')
    await once(next, 'exit')
  }
  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + START_MS
  while (
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (next.exitCode !== null || Date.now() > deadline) {
      await close()
      throw new Error('Next.js did not come up; its own words stand above.')
    }
    await setTimeout(100)
  }
  return { url, close }
}
