import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { z } from 'zod'
import type { ScenarioContext } from '../support/scenario.ts'
import { sum } from '../support/statistics.ts'
import { PROGRAM_MS, within } from '../support/within.ts'

const PROGRAM = fileURLToPath(new URL('./programs/load/main.js', import.meta.url))

export const LoadTask = z.object({
  url: z.string(),
  /** Sent in turn: one is as good as the other. */
  requests: z.array(z.object({ path: z.string(), headers: z.record(z.string(), z.string()), body: z.string() })),
  seconds: z.number(),
  connections: z.number(),
  /** Null sends the next request of a connection when the last was answered. */
  perSecond: z.number().nullable(),
})
export type LoadTask = z.infer<typeof LoadTask>

const LoadNotes = z.object({
  byStatus: z.record(z.string(), z.number()),
  /** Of each request that was answered with 200. */
  servedMs: z.array(z.number()),
  /** Refusals without a time to come back. */
  withoutRetryAfter: z.number(),
  broken: z.number(),
  seconds: z.number(),
})
export type LoadNotes = z.infer<typeof LoadNotes>

/** A load of autocannon in a process of its own, started through `wrapper`. */
export async function generate(
  { env, onEnd }: Pick<ScenarioContext, 'env' | 'onEnd'>,
  task: LoadTask,
  wrapper: readonly string[] = [],
): Promise<LoadNotes> {
  const [program = process.execPath, ...args] = [...wrapper, process.execPath, PROGRAM]
  const started = startProgram(program, args, { env: { PATH: env['PATH'] } })
  started.child.stdin?.end(JSON.stringify(task))
  onEnd(() => started.child.kill('SIGKILL'))
  const end = await within(started.ended, task.seconds * 1_000 + PROGRAM_MS, 'the load')
  if (end.code !== 0) throw new Error(`the load ended with ${end.code ?? end.signal}: ${end.stderr}`)
  return LoadNotes.parse(JSON.parse(end.stdout))
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
