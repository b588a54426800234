import { runCli } from '@svc/cli'
import { DEPLOY_KEY } from './keys.ts'

export type Outcome = { exitCode: number; stdout: string; stderr: string }

type Options = { env?: Record<string, string>; isTTY?: boolean; fetch?: typeof fetch }

/** An address at which nothing listens: a reserved port that no service was ever given. */
export const NOWHERE = 'http://127.0.0.1:2'

/** Runs the tool in this process. Modules of a project read `process.env`, so the variables are really set meanwhile. */
export async function runSvc(cwd: string, args: readonly string[], options: Options = {}): Promise<Outcome> {
  const before = { ...process.env }
  const written = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') => ({
    isTTY: options.isTTY ?? false,
    write: (text: string) => {
      written[name] += text
    },
  })
  for (const name of ['NO_COLOR', 'FORCE_COLOR', 'SVC_API_KEY', 'SVC_BASE_URL']) delete process.env[name]
  Object.assign(process.env, options.env ?? { SVC_API_KEY: DEPLOY_KEY, SVC_BASE_URL: NOWHERE })
  try {
    const deps = { stdout: output('stdout'), stderr: output('stderr'), env: process.env, cwd }
    const exitCode = await runCli({ ...deps, fetch: options.fetch ?? fetch }, args)
    return { exitCode, ...written }
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
}
