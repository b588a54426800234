import { WebSocket } from 'undici'
import { z } from 'zod'
import { PROGRAM_MS, within } from './within.ts'

const Targets = z.tuple([z.object({ webSocketDebuggerUrl: z.string() })]).rest(z.unknown())
const Answer = z.object({ id: z.number(), result: z.unknown() })

type Ask = (method: string, params?: Readonly<Record<string, unknown>>) => Promise<unknown>

/** Asks the main thread of a process that was started with `--inspect=127.0.0.1:<port>`, by the DevTools protocol. */
async function inspecting<T>(port: number, work: (ask: Ask) => Promise<T>): Promise<T> {
  const targets = await fetch(`http://127.0.0.1:${port}/json/list`)
  const [{ webSocketDebuggerUrl }] = Targets.parse(await targets.json())
  const socket = new WebSocket(webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('the inspector of the server did not answer')))
  })
  const waiting = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const answer = Answer.safeParse(JSON.parse(String(data))).data
    if (answer) waiting.get(answer.id)?.(answer.result)
  })
  const ask: Ask = (method, params = {}) => {
    const id = waiting.size + 1
    const answered = new Promise<unknown>((resolve) => waiting.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params }))
    return within(answered, PROGRAM_MS, `the inspector to answer ${method}`)
  }
  return work(ask).finally(() => socket.close())
}

const HeapUsage = z.object({ usedSize: z.number() })

/** Bytes that the main thread of a process holds after a full collection. */
export function heapAfterCollection(port: number): Promise<number> {
  return inspecting(port, async (ask) => {
    await ask('HeapProfiler.collectGarbage')
    await ask('HeapProfiler.collectGarbage')
    return HeapUsage.parse(await ask('Runtime.getHeapUsage')).usedSize
  })
}

const Range = z.object({ count: z.number() })
const Entered = z.object({ ranges: z.tuple([Range]).rest(z.unknown()) })
const Coverage = z.object({ result: z.array(z.object({ url: z.string(), functions: z.array(Entered) })) })

/** How many functions, of scripts that `isOwn` tells by their address, are entered in every other run of `work` or more. */
export function functionsEntered(
  port: number,
  isOwn: (url: string) => boolean,
  { work, times }: { work: () => Promise<unknown>; times: number },
): Promise<number> {
  return inspecting(port, async (ask) => {
    const repeat = async () => {
      for (let time = 0; time < times; time += 1) await work()
    }
    await ask('Profiler.enable')
    await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await repeat()
    await ask('Profiler.takePreciseCoverage')
    await repeat()
    const { result } = Coverage.parse(await ask('Profiler.takePreciseCoverage'))
    const own = result.filter(({ url }) => isOwn(url)).flatMap(({ functions }) => functions)
    return own.filter(({ ranges: [whole] }) => whole.count >= times / 2).length
  })
}
