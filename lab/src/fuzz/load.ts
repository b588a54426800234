import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import type { ScenarioContext } from '../support/scenario.ts'
import { sum } from '../support/statistics.ts'
import { PROGRAM_MS, within } from '../support/within.ts'

const PROGRAM = fileURLToPath(new URL('./programs/load/main.js', import.meta.url))

export interface LoadTask {
  url: string
  /** Sent in turn: one is as good as the other. */
  requests: readonly { path: string; headers: Readonly<Record<string, string>>; body: string }[]
  seconds: number
  connections: number
  /** Null sends the next request of a connection when the last was answered. */
  perSecond: number | null
}

export interface LoadNotes {
  byStatus: Record<string, number>
  /** Of each request that was answered with 200. */
  servedMs: number[]
  /** Refusals without a time to come back. */
  withoutRetryAfter: number
  broken: number
  seconds: number
}

/** A load of autocannon in a process of its own, on the processors of this one. */
export async function generate({ env, onEnd }: ScenarioContext, task: LoadTask): Promise<LoadNotes> {
  const started = startProgram(process.execPath, [PROGRAM], { env: { PATH: env['PATH'] } })
  started.child.stdin?.end(JSON.stringify(task))
  onEnd(() => started.child.kill('SIGKILL'))
  const end = await within(started.ended, task.seconds * 1_000 + PROGRAM_MS, 'the load')
  if (end.code !== 0) throw new Error(`the load ended with ${end.code ?? end.signal}: ${end.stderr}`)
  return JSON.parse(end.stdout)
}

export function answered({ byStatus }: Pick<LoadNotes, 'byStatus'>): number {
  return sum(Object.values(byStatus))
}

/** A POST of JSON, as a load sends it. */
export function toLoad(path: string, body: unknown, key?: string, accept?: string): LoadTask['requests'][number] {
  const headers = {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(accept === undefined ? {} : { accept }),
  }
  return { path, headers, body: JSON.stringify(body) }
}
