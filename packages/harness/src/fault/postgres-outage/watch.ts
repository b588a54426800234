import { setTimeout as pause } from 'node:timers/promises'
import { type ClientRequest, createClient, type Heard } from '../../support/client.ts'
import type { Fleet, Replica } from '../fleet.ts'
import type { Look } from './judge.ts'

const EVERY_MS = 500

/** Looks at servers from outside while it goes on. */
export interface Watch {
  /** Looks no more, and gives what was seen once everything that was asked has been heard. */
  stop(): Promise<readonly Look[]>
}

/** Asks every server for its health, its readiness and a read of the account's, again and again, answered or not. */
export function startWatch(fleet: Pick<Fleet, 'live'>, apiKey: string): Watch {
  const over = new AbortController()
  const looks: Look[] = []
  const watched = Promise.all(fleet.live.map((replica) => watchOne(replica, { apiKey, looks, over: over.signal })))
  return {
    async stop() {
      over.abort()
      await watched
      return looks
    },
  }
}

interface Watching {
  apiKey: string
  looks: Look[]
  over: AbortSignal
}

async function watchOne({ server }: Replica, { apiKey, looks, over }: Watching): Promise<void> {
  if (server.opsUrl === null) throw new Error('a server without an operations port cannot be watched')
  const [door, ops] = [createClient(server.url), createClient(server.opsUrl)]
  const asked: Promise<void>[] = []
  const ask = async (what: Look['what'], client: typeof door, request: ClientRequest) => {
    const at = Date.now()
    const heard = await client.send(request)
    looks.push({ what, at, tookMs: Date.now() - at, ...answerIn(heard) })
  }
  while (!over.aborted) {
    asked.push(ask('health', door, { method: 'GET', path: '/health' }))
    asked.push(ask('readiness', ops, { method: 'GET', path: '/ready' }))
    asked.push(ask('read', door, { method: 'GET', path: '/v1/runtimes', key: apiKey }))
    await pause(EVERY_MS, undefined, { signal: over }).catch(() => undefined)
  }
  await Promise.all(asked)
  await Promise.all([door.close(), ops.close()])
}

function answerIn(heard: Heard): Pick<Look, 'status' | 'hasRetryAfter'> {
  if (heard.kind === 'broken') return { status: null, hasRetryAfter: false }
  return { status: heard.status, hasRetryAfter: /^\d+$/.test(String(heard.headers['retry-after'])) }
}
