import { RawConnection, type RawHeard } from './raw-connection.ts'

/** What a paced caller heard. */
export interface ProbeNotes {
  latenciesMs: number[]
  failures: number
}

export interface Probe {
  notes: ProbeNotes
  /** Ends it, when the request that is under way has been answered. */
  stop(): Promise<ProbeNotes>
}

export interface ProbeOptions {
  port: number
  everyMs: number
  request: Buffer
  isGood?: (heard: RawHeard) => boolean
  timeoutMs?: number
}

/** Sends one request at a fixed pace over a connection of its own, and notes how long each answer took. */
export function startProbe(options: ProbeOptions): Probe {
  const { port, everyMs, request, isGood = isOk, timeoutMs = 10_000 } = options
  const notes: ProbeNotes = { latenciesMs: [], failures: 0 }
  let connection = new RawConnection(port)
  let isStopping = false
  async function run(): Promise<void> {
    for (let dueAt = performance.now(); !isStopping; dueAt += everyMs) {
      const waitMs = dueAt - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      // A probe that was held up goes on from now: a stall counts once, as what it is.
      else dueAt = performance.now()
      if (!connection.isUsable) connection = new RawConnection(port)
      const startedAt = performance.now()
      const heard = await connection.exchange(request, { timeoutMs })
      notes.latenciesMs.push(performance.now() - startedAt)
      if (isGood(heard)) continue
      notes.failures += 1
      connection.destroy()
    }
    connection.destroy()
  }
  const running = run()
  return {
    notes,
    async stop() {
      isStopping = true
      await running
      return notes
    },
  }
}

/** A request for `/health`. */
export const HEALTH = Buffer.from('GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')

function isOk(heard: RawHeard): boolean {
  return heard.kind === 'answer' && heard.answer.status === 200
}
