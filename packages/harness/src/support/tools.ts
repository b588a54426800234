import { findProgram } from '@svc/testkit'

/** Programs that come with no npm package, by the Debian package that brings each. */
const PACKAGES = {
  haproxy: 'haproxy',
  wrk: 'wrk',
  nginx: 'nginx-light',
  taskset: 'util-linux',
} as const

type Tool = keyof typeof PACKAGES

/** Throws a sentence that says what to install. */
export function requireTools(tools: readonly Tool[], env: NodeJS.ProcessEnv): void {
  const missing = tools.filter((tool) => findProgram(tool, env) === null)
  if (missing.length === 0) return
  const packages = missing.map((tool) => PACKAGES[tool]).join(' ')
  throw new Error(`this scenario needs ${missing.join(' and ')}: apt-get install ${packages}`)
}
