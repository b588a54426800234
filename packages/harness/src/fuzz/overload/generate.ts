import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { z } from 'zod'
import type { ScenarioContext } from '../../support/scenario.ts'
import { PROGRAM_MS, within } from '../../support/within.ts'
import type { LoadNotes, LoadTask } from './generator/load.ts'

const GENERATOR = fileURLToPath(new URL('./generator/main.js', import.meta.url))
/** The processor of everything but the server. */
export const OTHERS_CORE = '1'

const Notes = z.object({
  due: z.number(),
  unsent: z.number(),
  broken: z.number(),
  byStatus: z.record(z.string(), z.number()),
  withoutRetryAfter: z.number(),
  otherIds: z.number(),
  leftovers: z.number(),
  lateMs: z.array(z.number()),
  servedMs: z.array(z.number()),
  measuredMs: z.number(),
})

/** On the processor that the server does not have. */
export const PINNED = ['taskset', '-c', OTHERS_CORE]

/** Makes a load in a process of its own, started through `wrapper`. */
export async function generate(
  { env, onEnd }: ScenarioContext,
  task: LoadTask,
  wrapper: readonly string[] = [],
): Promise<LoadNotes> {
  const [program = process.execPath, ...args] = [...wrapper, process.execPath, GENERATOR]
  const started = startProgram(program, args, { env: { PATH: env['PATH'] } })
  started.child.stdin?.end(JSON.stringify(task))
  onEnd(() => started.child.kill('SIGKILL'))
  const end = await within(started.ended, task.durationMs + PROGRAM_MS, 'the generator of the load')
  if (end.code !== 0) throw new Error(`the generator ended with ${end.code ?? end.signal}: ${end.stderr}`)
  return Notes.parse(JSON.parse(end.stdout))
}
