import { setTimeout as pause } from 'node:timers/promises'
import { ErrorBody } from '@svc/contract'
import type { Client, ClientRequest, Heard } from '../../support/client.ts'

/** What a storm of calls at once came to. */
export interface Storm {
  /** Calls by the status that they were answered with. */
  statuses: ReadonlyMap<number, number>
  /** From the first call to the last answer, milliseconds. */
  tookMs: number
}

const SHED_PAUSE_MS = 100
const MOST_TRIES = 300

/** Sends `calls` requests at once, in turn to each client. A call that was shed for load alone is sent again. */
export async function storm(
  clients: readonly Client[],
  calls: number,
  request: (index: number) => ClientRequest,
): Promise<Storm> {
  const startedAt = Date.now()
  const heard = await Promise.all(
    Array.from({ length: calls }, (_, index) => {
      const client = clients[index % clients.length]
      if (!client) throw new Error('there is nobody to ask')
      return sendUntilJudged(client, request(index))
    }),
  )
  const statuses = new Map<number, number>()
  for (const answer of heard) statuses.set(statusOf(answer), (statuses.get(statusOf(answer)) ?? 0) + 1)
  return { statuses, tookMs: Date.now() - startedAt }
}

/** Calls that were let in, whatever then became of them. */
export function letIn({ statuses }: Storm): number {
  return (statuses.get(200) ?? 0) + (statuses.get(502) ?? 0)
}

async function sendUntilJudged(client: Client, request: ClientRequest): Promise<Heard> {
  for (let tries = 1; ; tries += 1) {
    const heard = await client.send(request)
    if (!isShed(heard) || tries === MOST_TRIES) return heard
    await pause(SHED_PAUSE_MS)
  }
}

// A full queue says nothing about anybody's quota, and its message says so.
function isShed(heard: Heard): boolean {
  if (heard.kind === 'broken' || heard.status !== 429) return false
  return ErrorBody.parse(JSON.parse(heard.text)).error.message.includes('busy')
}

function statusOf(heard: Heard): number {
  return heard.kind === 'broken' ? 0 : heard.status
}
