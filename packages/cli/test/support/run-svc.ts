import { vi } from 'vitest'
import type { CliDeps, Timers } from '../../src/deps.ts'
import { runCli } from '../../src/run-cli.ts'
import { DEPLOY_KEY } from './keys.ts'

export type Outcome = { exitCode: number; stdout: string; stderr: string }

type Options = {
  env?: Record<string, string>
  isTTY?: boolean
  columns?: number
  fetch?: typeof fetch
  timers?: Timers
  stdin?: NonNullable<CliDeps['stdin']>
  configFolder?: string
  openInBrowser?: (url: string) => void
  git?: NonNullable<CliDeps['git']>
  onStderr?: (text: string) => void
}

// Modules of a project are compiled in each test, and some start processes: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 60_000 })

const NO_TIMERS: Timers = { now: () => 0, every: () => () => undefined, after: () => () => undefined }

/** An address at which nothing listens: a reserved port that no service was ever given. */
export const NOWHERE = 'http://127.0.0.1:2'

/** Runs the tool in this process. Modules of a project read `process.env`, so the variables are really set meanwhile. */
export async function runSvc(cwd: string, args: readonly string[], options: Options = {}): Promise<Outcome> {
  const before = { ...process.env }
  const written = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') => ({
    isTTY: options.isTTY ?? false,
    ...(options.columns !== undefined && { columns: options.columns }),
    write: (text: string) => {
      written[name] += text
      if (name === 'stderr') options.onStderr?.(text)
    },
  })
  const ours = (name: string) => /^(SVC_|NO_COLOR$|FORCE_COLOR$|CI$)/.test(name)
  for (const name of Object.keys(process.env).filter(ours)) delete process.env[name]
  Object.assign(process.env, options.env ?? { SVC_API_KEY: DEPLOY_KEY, SVC_BASE_URL: NOWHERE })
  try {
    const deps = {
      stdout: output('stdout'),
      stderr: output('stderr'),
      env: process.env,
      cwd,
      machine: 'ada-laptop',
      ...(options.stdin && { stdin: options.stdin }),
      ...(options.configFolder && { configFolder: options.configFolder }),
      ...(options.git && { git: options.git }),
      ...(options.openInBrowser && { openInBrowser: options.openInBrowser }),
    }
    const timers = options.timers ?? NO_TIMERS
    const exitCode = await runCli({ ...deps, timers, fetch: options.fetch ?? fetch }, args)
    return { exitCode, ...written }
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
}
