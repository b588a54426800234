import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import type { ScenarioContext } from '../../support/scenario.ts'
import { PROGRAM_MS, within } from '../../support/within.ts'
import type { Probe } from './judge.ts'

const Message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('listening'), port: z.number() }),
  z.object({ kind: z.literal('hits'), hits: z.array(z.tuple([z.string(), z.number()])) }),
  z.object({
    kind: z.literal('probes'),
    probes: z.array(z.object({ at: z.number(), tookMs: z.number(), isGood: z.boolean() })),
  }),
])

type Message = z.infer<typeof Message>

/** Threads of their own, so that what one does costs the others nothing but processor time. */
export interface Threads {
  /** Where the endpoint that misbehaves listens, by the path `/<way>/<round>`. */
  badUrl: string
  /** Where connections are taken and nobody ever looks at them. */
  hungUrl: string
  tenantUrl: string
  /** Requests that reached the endpoint that misbehaves, by their path. */
  hits(): Promise<ReadonlyMap<string, number>>
  /** Begins to call the tenant's capability at this pace. */
  startProbing(call: { url: string; path: string; everyMs: number }): void
  probes(): Promise<readonly Probe[]>
}

export async function startThreads(context: ScenarioContext): Promise<Threads> {
  const start = async (name: string) => {
    const worker = new Worker(new URL(`./${name}.js`, import.meta.url))
    context.onEnd(() => worker.terminate())
    const message = await next(worker)
    if (message.kind !== 'listening') throw new Error(`${name} did not begin to listen`)
    return { worker, url: `http://127.0.0.1:${message.port}` }
  }
  const bad = await start('endpoint-thread')
  const hung = await start('hung-thread')
  const tenant = await start('tenant-thread')
  return {
    badUrl: bad.url,
    hungUrl: hung.url,
    tenantUrl: tenant.url,
    async hits() {
      bad.worker.postMessage('hits')
      const message = await next(bad.worker)
      return new Map(message.kind === 'hits' ? message.hits : [])
    },
    startProbing: (call) => tenant.worker.postMessage({ kind: 'call', ...call }),
    async probes() {
      tenant.worker.postMessage({ kind: 'report' })
      const message = await next(tenant.worker)
      return message.kind === 'probes' ? message.probes : []
    },
  }
}

function next(worker: Worker): Promise<Message> {
  const message = new Promise<Message>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', (message) => {
      worker.off('error', reject)
      resolve(Message.parse(message))
    })
  })
  return within(message, PROGRAM_MS, 'a thread to answer')
}
