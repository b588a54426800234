import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { z } from 'zod'
import { RawConnection } from './raw.ts'
import type { ScenarioContext } from './scenario.ts'
import { quantile } from './statistics.ts'
import { PROGRAM_MS, within } from './within.ts'

export const ProbeNotes = z.object({
  /** From when each request was due. */
  latenciesMs: z.array(z.number()),
  failures: z.number(),
})
export type ProbeNotes = z.infer<typeof ProbeNotes>

export interface ProbeTask {
  port: number
  everyMs: number
  request: Buffer
}

/**
 * Sends one request at a fixed pace, answered or not, and notes how long each answer took: a stall is met by as many
 * requests as are due while it lasts. They share a connection for as long as each is answered before the next.
 */
export function startProbe({ port, everyMs, request }: ProbeTask): { stop(): Promise<ProbeNotes> } {
  const notes: ProbeNotes = { latenciesMs: [], failures: 0 }
  const underWay = new Set<Promise<void>>()
  let idle: RawConnection | null = null
  let dueAt = performance.now()
  const ask = async (askedAt: number) => {
    const connection = idle?.isUsable ? idle : new RawConnection(port)
    idle = null
    const heard = await connection.exchange(request, { timeoutMs: 10_000 })
    notes.latenciesMs.push(performance.now() - askedAt)
    const isGood = heard.kind === 'answer' && heard.answer.status === 200
    if (!isGood) notes.failures += 1
    // One is kept: the server would close those that a stall has made while they wait.
    if (idle === null && connection.isUsable && isGood) idle = connection
    else connection.destroy()
  }
  const send = () => {
    for (; dueAt <= performance.now(); dueAt += everyMs) {
      const asked = ask(dueAt).finally(() => underWay.delete(asked))
      underWay.add(asked)
    }
    timer = setTimeout(send, dueAt - performance.now())
  }
  let timer = setTimeout(send, 0)
  return {
    async stop() {
      clearTimeout(timer)
      await Promise.all(underWay)
      idle?.destroy()
      return notes
    },
  }
}

export const HEALTH = Buffer.from('GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')

export function at(share: number, { latenciesMs }: ProbeNotes): number {
  return quantile(latenciesMs, share)
}

const PROGRAM = fileURLToPath(new URL('./programs/probe/main.js', import.meta.url))

/** A probe in a process of its own: models and endpoints in this one do not hold up its clock. */
export function startProbeProcess(
  { env, onEnd }: Pick<ScenarioContext, 'env' | 'onEnd'>,
  { request, ...task }: ProbeTask,
): { stop(): Promise<ProbeNotes> } {
  const { child, ended } = startProgram(process.execPath, [PROGRAM], { env: { PATH: env['PATH'] } })
  onEnd(() => child.kill('SIGKILL'))
  child.stdin?.write(`${JSON.stringify({ ...task, request: request.toString('latin1') })}\n`)
  return {
    async stop() {
      child.stdin?.end()
      const end = await within(ended, PROGRAM_MS, 'a probe to end')
      if (end.code !== 0) throw new Error(`the probe ended with ${end.code ?? end.signal}: ${end.stderr}`)
      return ProbeNotes.parse(JSON.parse(end.stdout))
    },
  }
}
