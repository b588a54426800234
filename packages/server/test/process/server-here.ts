import { pathToFileURL } from 'node:url'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { JobTimes } from '../../src/ops/background-jobs.ts'
import { builtFile } from './server-process.ts'

export interface ServerHere {
  readonly url: string
  /** The lines that a program prints at its start. */
  readonly summary: string
  /** All that it has logged. */
  log(): string
  /** Drains, as a signal has a program do. It is stopped with the test at the latest. */
  stop(): Promise<void>
}

/**
 * Starts the built server in this process, where neither its end nor the program is the subject: a further process takes more
 * than a second of processor time to start. It gets no other environment than this.
 */
export async function startServerHere(
  environment: Readonly<Record<string, string>>,
  times: JobTimes = {},
): Promise<ServerHere> {
  const { readConfig, startServer } = await importServer()
  const env = { PORT: '0', SVC_LIMIT_LOOP_DELAY_MS: '60000', ...environment }
  const read = readConfig(env)
  if (!read.ok) throw new Error(JSON.stringify(read.faults))
  const lines: string[] = []
  const logger = pino({ level: read.config.logLevel }, { write: (line: string) => void lines.push(line) })
  const onFatal = (error: unknown) => {
    throw error
  }
  const { url, summary, stop } = await startServer(read.config, env, { logger, onFatal, ...times })
  let stopping: Promise<void> | undefined
  const stopOnce = () => {
    stopping ??= stop()
    return stopping
  }
  onTestFinished(stopOnce)
  return { url, summary: summary.join('\n'), log: () => lines.join(''), stop: stopOnce }
}

// The built files: worker threads cannot run the source.
async function importServer() {
  const { readConfig }: typeof import('../../src/config.ts') = await import(urlOf('config.js'))
  const { startServer }: typeof import('../../src/server.ts') = await import(urlOf('server.js'))
  return { readConfig, startServer }
}

function urlOf(name: string): string {
  return pathToFileURL(builtFile(name)).href
}
