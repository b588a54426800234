import type { CreatedRuntime } from '@svc/contract'
import { z } from 'zod'
import type { Client, Heard } from '../../support/client.ts'
import type { Random } from '../../support/random.ts'

/** An owner with so many of everything that each of their lists has a second page. */
export interface Listed {
  apiKey: string
  runtimes: readonly CreatedRuntime[]
  /** Ids of all that is theirs. */
  ids: readonly string[]
}

export interface CursorNotes {
  tried: number
  served: number
  refused: number
  faults: string[]
}

const Page = z.object({ nextCursor: z.string().nullable() })

/** Uses one owner's cursors, whole and spoiled, on every list of another: nothing of the first may ever be seen. */
export async function abuseCursors(client: Client, one: Listed, other: Listed, random: Random): Promise<CursorNotes> {
  const notes: CursorNotes = { tried: 0, served: 0, refused: 0, faults: [] }
  const cursors: string[] = []
  for (const path of listsOf(one)) cursors.push(await cursorOf(client, path, one.apiKey))
  for (const path of listsOf(other)) {
    for (const cursor of cursors.flatMap((whole) => spoiled(whole, random))) {
      const asked = `${path}?limit=200&cursor=${encodeURIComponent(cursor)}`
      noteAnswer(notes, asked, await client.send({ method: 'GET', path: asked, key: other.apiKey }), one.ids)
    }
  }
  return notes
}

/** What is known by `foreignIds` may be in no answer. */
function noteAnswer(notes: CursorNotes, asked: string, heard: Heard, foreignIds: readonly string[]): void {
  notes.tried += 1
  if (heard.kind === 'answer' && heard.status === 200) notes.served += 1
  else if (heard.kind === 'answer' && heard.status === 400) notes.refused += 1
  else notes.faults.push(`${asked}: ${heard.kind === 'answer' ? heard.status : heard.reason}`)
  const isForeign = heard.kind === 'answer' && foreignIds.some((id) => heard.text.includes(id))
  if (isForeign) notes.faults.push(`${asked} shows what is another’s`)
}

function listsOf({ runtimes }: Listed): string[] {
  const traces = runtimes.slice(0, 1).map(({ runtimeId }) => `/v1/traces/runtime/${runtimeId}`)
  return ['/v1/runtimes', '/v1/executions', '/v1/projects', '/v1/account/keys', ...traces]
}

async function cursorOf(client: Client, path: string, key: string): Promise<string> {
  const heard = await client.send({ method: 'GET', path: `${path}?limit=1`, key })
  const page = heard.kind === 'answer' ? Page.parse(JSON.parse(heard.text)) : null
  if (typeof page?.nextCursor !== 'string') throw new Error(`${path} has no second page: ${JSON.stringify(heard)}`)
  return page.nextCursor
}

function spoiled(cursor: string, random: Random): string[] {
  const at = random.int(0, cursor.length - 1)
  const [time = 0, id = ''] = z
    .tuple([z.number(), z.string()])
    .parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  const forged = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url')
  return [
    cursor,
    cursor.slice(0, at),
    cursor.slice(0, at) + random.pick(['A', '_', '=', '%', '\u0000']) + cursor.slice(at + 1),
    cursor + cursor,
    `${cursor}=`,
    forged([Number.MAX_SAFE_INTEGER, id]),
    forged([-Number.MAX_SAFE_INTEGER, id]),
    forged([time, `${id}' or 1=1 --`]),
    forged([time, '']),
    forged([`${time}`, id]),
    forged([time, id, id]),
    forged({ at: time, id }),
    forged([{ $gt: 0 }, id]),
    forged([1e308, id]),
    forged([time + 0.5, 'z'.repeat(128)]),
    forged(null),
    '[]',
    'null',
    ' ',
  ]
}
