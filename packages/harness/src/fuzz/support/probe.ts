import { RawConnection, type RawHeard } from './raw-connection.ts'

/** What a paced caller heard. */
export interface ProbeNotes {
  /** From when each request was due. */
  latenciesMs: number[]
  /** How long after it was due each was sent, which is never the server's doing. */
  lateMs: number[]
  failures: number
}

export interface Probe {
  notes: ProbeNotes
  /** Ends it, when the requests that are under way have been answered. */
  stop(): Promise<ProbeNotes>
}

export interface ProbeOptions {
  port: number
  everyMs: number
  request: Buffer
  isGood?: (heard: RawHeard) => boolean
  timeoutMs?: number
}

/**
 * Sends one request at a fixed pace, answered or not, and notes how long each answer took: a stall is met by as many
 * requests as are due while it lasts. They share a connection for as long as each is answered before the next.
 */
export function startProbe(options: ProbeOptions): Probe {
  const { port, everyMs, request, isGood = isOk, timeoutMs = 10_000 } = options
  const notes: ProbeNotes = { latenciesMs: [], lateMs: [], failures: 0 }
  const underWay = new Set<Promise<void>>()
  let idle: RawConnection | null = null
  let dueAt = performance.now()
  const ask = async (askedAt: number) => {
    const connection = idle?.isUsable ? idle : new RawConnection(port)
    idle = null
    notes.lateMs.push(performance.now() - askedAt)
    const heard = await connection.exchange(request, { timeoutMs })
    notes.latenciesMs.push(performance.now() - askedAt)
    if (!isGood(heard)) notes.failures += 1
    // One is kept: those that a stall has made would be closed by the server while they wait.
    if (idle === null && connection.isUsable && isGood(heard)) idle = connection
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
    notes,
    async stop() {
      clearTimeout(timer)
      await Promise.all(underWay)
      idle?.destroy()
      return notes
    },
  }
}

/** A request for `/health`. */
export const HEALTH = Buffer.from('GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')

function isOk(heard: RawHeard): boolean {
  return heard.kind === 'answer' && heard.answer.status === 200
}
