import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { z } from 'zod'
import type { ScenarioContext } from '../../support/scenario.ts'
import { PROGRAM_MS, within } from '../../support/within.ts'
import type { Probe, ProbeNotes, ProbeOptions } from './probe.ts'

const PROGRAM = fileURLToPath(new URL('./probe-process/main.js', import.meta.url))
const Notes = z.object({ latenciesMs: z.array(z.number()), lateMs: z.array(z.number()), failures: z.number() })

/** A probe in a process of its own: what else the scenario plays, models and endpoints, does not hold up its clock. */
export function startProbeProcess(
  { env, onEnd }: Pick<ScenarioContext, 'env' | 'onEnd'>,
  { request, ...task }: Pick<ProbeOptions, 'port' | 'everyMs' | 'request'>,
): Pick<Probe, 'stop'> {
  const { child, ended } = startProgram(process.execPath, [PROGRAM], { env: { PATH: env['PATH'] } })
  onEnd(() => child.kill('SIGKILL'))
  child.stdin?.write(`${JSON.stringify({ ...task, request: request.toString('latin1') })}\n`)
  return {
    async stop(): Promise<ProbeNotes> {
      child.stdin?.end()
      const end = await within(ended, PROGRAM_MS, 'a probe to end')
      if (end.code !== 0) throw new Error(`the probe ended with ${end.code ?? end.signal}: ${end.stderr}`)
      return Notes.parse(JSON.parse(end.stdout))
    },
  }
}
