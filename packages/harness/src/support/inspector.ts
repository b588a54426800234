import { WebSocket } from 'undici'
import { z } from 'zod'
import { PROGRAM_MS, within } from './within.ts'

const Targets = z.tuple([z.object({ webSocketDebuggerUrl: z.string() })]).rest(z.unknown())
const Answer = z.object({ id: z.number(), result: z.object({ usedSize: z.number().optional() }) })

/**
 * What the main thread of a process holds after a full collection, bytes. The process was started with
 * `--inspect=127.0.0.1:<port>`; it is inspected for this moment alone.
 */
export async function heapAfterCollection(port: number): Promise<number> {
  const targets = await fetch(`http://127.0.0.1:${port}/json/list`)
  const [{ webSocketDebuggerUrl }] = Targets.parse(await targets.json())
  const socket = new WebSocket(webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('the inspector of the server did not answer')))
  })
  try {
    await ask(socket, 1, 'HeapProfiler.collectGarbage')
    await ask(socket, 2, 'HeapProfiler.collectGarbage')
    const { usedSize = Number.NaN } = await ask(socket, 3, 'Runtime.getHeapUsage')
    return usedSize
  } finally {
    socket.close()
  }
}

function ask(socket: WebSocket, id: number, method: string): Promise<{ usedSize?: number | undefined }> {
  const answered = new Promise<{ usedSize?: number | undefined }>((resolve) => {
    const hear = (event: { data: unknown }) => {
      const answer = Answer.safeParse(JSON.parse(String(event.data)))
      if (answer.data?.id !== id) return
      socket.removeEventListener('message', hear)
      resolve(answer.data.result)
    }
    socket.addEventListener('message', hear)
    socket.send(JSON.stringify({ id, method }))
  })
  return within(answered, PROGRAM_MS, `the inspector to answer ${method}`)
}
