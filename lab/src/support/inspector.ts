import { WebSocket } from 'undici'
import { z } from 'zod'
import { PROGRAM_MS, within } from './within.ts'

const Targets = z.tuple([z.object({ webSocketDebuggerUrl: z.string() })]).rest(z.unknown())
const Answer = z.object({ id: z.number(), result: z.unknown() })

/** A connection to the main thread of a process that was started with `--inspect=127.0.0.1:<port>`. */
export interface Inspector {
  /** Calls a method of the DevTools protocol and returns its result. */
  ask(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>
  close(): void
}

/** Throws where nothing answers at that port. */
export async function openInspector(port: number): Promise<Inspector> {
  const targets = await fetch(`http://127.0.0.1:${port}/json/list`)
  const [{ webSocketDebuggerUrl }] = Targets.parse(await targets.json())
  const socket = new WebSocket(webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('the inspector of the server did not answer')))
  })
  let lastId = 0
  return {
    ask(method, params = {}) {
      lastId += 1
      const answered = resultOf(socket, lastId)
      socket.send(JSON.stringify({ id: lastId, method, params }))
      return within(answered, PROGRAM_MS, `the inspector to answer ${method}`)
    },
    close: () => socket.close(),
  }
}

function resultOf(socket: WebSocket, id: number): Promise<unknown> {
  return new Promise((resolve) => {
    const hear = (event: { data: unknown }) => {
      const answer = Answer.safeParse(JSON.parse(String(event.data)))
      if (answer.data?.id !== id) return
      socket.removeEventListener('message', hear)
      resolve(answer.data.result)
    }
    socket.addEventListener('message', hear)
  })
}

const HeapUsage = z.object({ usedSize: z.number() })

/** What the main thread of a process holds after a full collection, bytes. It is inspected for this moment alone. */
export async function heapAfterCollection(port: number): Promise<number> {
  const inspector = await openInspector(port)
  try {
    await inspector.ask('HeapProfiler.collectGarbage')
    await inspector.ask('HeapProfiler.collectGarbage')
    return HeapUsage.parse(await inspector.ask('Runtime.getHeapUsage')).usedSize
  } finally {
    inspector.close()
  }
}

const Coverage = z.object({
  result: z.array(
    z.object({
      url: z.string(),
      functions: z.array(z.object({ ranges: z.tuple([z.object({ count: z.number() })]).rest(z.unknown()) })),
    }),
  ),
})

/**
 * How many functions, of scripts that `isOwn` tells by their address, are entered in each of `times` runs of `work`, on the
 * median: a function of every other run counts as entered.
 */
export async function functionsEntered(
  port: number,
  isOwn: (url: string) => boolean,
  { work, times }: { work: () => Promise<unknown>; times: number },
): Promise<number> {
  const inspector = await openInspector(port)
  const repeat = async () => {
    for (let time = 0; time < times; time += 1) await work()
  }
  try {
    await inspector.ask('Profiler.enable')
    await inspector.ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await repeat()
    await inspector.ask('Profiler.takePreciseCoverage')
    await repeat()
    const { result } = Coverage.parse(await inspector.ask('Profiler.takePreciseCoverage'))
    const own = result.filter(({ url }) => isOwn(url)).flatMap(({ functions }) => functions)
    return own.filter(({ ranges: [whole] }) => whole.count >= times / 2).length
  } finally {
    inspector.close()
  }
}
