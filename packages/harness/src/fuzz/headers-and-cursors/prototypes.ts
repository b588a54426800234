import { isJsonObject } from '@svc/contract'
import type { Client } from '../../support/client.ts'
import type { LeanEndpoint } from '../support/lean-endpoint.ts'
import { PROTOTYPE_KEYS } from '../support/naughty.ts'

export interface PrototypeNotes {
  tried: number
  delivered: number
  refused: number
  faults: string[]
}

const DEPTHS = 12
const PAYLOADS = ['{"polluted":true}', '"polluted"', 'null', '{"prototype":{"polluted":true}}', '[{"polluted":true}]']

/** Sends keys that name a prototype at every depth: each payload reaches the owner to the byte, or is refused. */
export async function sendPrototypeKeys(client: Client, endpoint: LeanEndpoint, path: string): Promise<PrototypeNotes> {
  const notes: PrototypeNotes = { tried: 0, delivered: 0, refused: 0, faults: [] }
  for (const key of [...PROTOTYPE_KEYS, '\\u005f_proto__', 'toString', 'hasOwnProperty', '__defineGetter__']) {
    for (let depth = 0; depth < DEPTHS; depth += 1) {
      for (const payload of PAYLOADS) await sendOne(client, endpoint, path, nested(key, payload, depth), notes)
    }
  }
  await sendOne(client, endpoint, path, '{}', notes)
  return notes
}

async function sendOne(client: Client, endpoint: LeanEndpoint, path: string, input: string, notes: PrototypeNotes) {
  endpoint.lastCall = null
  // Text, because JavaScript would not write every key that JSON can hold.
  const body = `{"input":${input},"metadata":${input}}`
  const heard = await client.send({ method: 'POST', path, text: body })
  notes.tried += 1
  const status = heard.kind === 'answer' ? heard.status : 0
  const received = receivedBy(endpoint)
  if (status === 400 && received === null) notes.refused += 1
  else if (status === 200 && received?.includes(`"input":${input},"metadata":${input}`)) notes.delivered += 1
  else notes.faults.push(`${status} for ${input}, of which the owner got ${received}`)
}

function receivedBy(endpoint: LeanEndpoint): string | null {
  return endpoint.lastCall?.body ?? null
}

function nested(key: string, payload: string, depth: number): string {
  return depth === 0 ? `{"${key}":${payload}}` : `{"a":${nested(key, payload, depth - 1)}}`
}

/** True when an object of the server's shows a field that nobody gave it. */
export function isPolluted(text: string): boolean {
  const look = (value: unknown): boolean =>
    Array.isArray(value)
      ? value.some(look)
      : isJsonObject(value) && ('polluted' in value || Object.values(value).some(look))
  return look(JSON.parse(text))
}
