import { setTimeout as pause } from 'node:timers/promises'
import type { Client, ClientRequest } from '../support/client.ts'

/** Answers to calls at once, by status; 0 for no answer. */
export interface Storm {
  statuses: ReadonlyMap<number, number>
  tookMs: number
}

/** Sends `calls` requests at once, in turn to each client. A call that was shed for load alone is sent again. */
export async function storm(
  clients: readonly Client[],
  calls: number,
  request: (index: number) => ClientRequest,
): Promise<Storm> {
  const startedAt = Date.now()
  const statuses = new Map<number, number>()
  const send = async (index: number) => {
    const client = clients[index % clients.length]
    for (let tries = 0; ; tries += 1) {
      const { status = 0, text = '' } = (await client?.send(request(index))) ?? {}
      // A refusal of a busy server says nothing about a quota.
      if (status === 429 && text.includes('busy') && tries < 300) await pause(100)
      else return void statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: calls }, (_, index) => send(index)))
  return { statuses, tookMs: Date.now() - startedAt }
}

/** Calls that were let in, however they then ended. */
export function letIn({ statuses }: Storm): number {
  return (statuses.get(200) ?? 0) + (statuses.get(502) ?? 0)
}
