import { type CreatedRuntime, isJsonObject } from '@svc/contract'
import { z } from 'zod'
import { type Client, createClient } from '../support/client.ts'
import type { Random } from '../support/random.ts'
import { asBytes, exchangeOnce, jsonRequest, type RawHeard } from '../support/raw.ts'
import { atLeast, exactly, none, type Scenario } from '../support/scenario.ts'
import { addRuntime, capability, createOwner, errorLines, post, stopServer } from '../support/world.ts'
import { LINE_ENDS, MARK, PLACES } from './injections.ts'
import { probePath, type Stage, setStage } from './stage.ts'

const EACH = 3

export const headersAndCursors: Scenario = {
  name: 'headers-and-cursors',
  title: 'no value gets out of its place, and no cursor to another account’s data',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const stage = await setStage(context, { variables: { SVC_LOG_LEVEL: 'info' } })
    const client = createClient(stage.server.url, 4)
    context.onEnd(() => client.close())
    const other = await createOwner(stage.options, 'other@example.com', 'enterprise')
    const one = await fill(stage, stage.owner.apiKey)
    const two = await fill(stage, other.apiKey)
    const cursors = await abuseCursors(client, [one, two], context.random)
    const prototypes = await sendPrototypeKeys(client, stage, probePath(one.runtime))
    const injections = await injectLineEnds(stage, one.runtime)
    const path = `/v1/runtimes/${one.runtime.runtimeId}`
    const detail = await client.send({ method: 'GET', path, key: stage.owner.apiKey })
    const end = await stopServer(stage.server)
    const lines = end.stderr.split('\n').filter(Boolean)
    return [
      atLeast('values with line ends', injections.tried, 200),
      none('of these got out of their place', injections.faults),
      atLeast('lines of the log', lines.length, injections.tried),
      none(
        'of these are broken',
        lines.filter((line) => !isLogLine(line)),
      ),
      atLeast('cursors of others, whole and spoiled', cursors.tried, 400),
      atLeast('of these served, with the caller’s own data', cursors.served, 1),
      atLeast('of these refused', cursors.refused, 1),
      none('of these answered wrongly', cursors.faults),
      atLeast('payloads delivered to the byte', prototypes.served, 100),
      atLeast('payloads refused', prototypes.refused, 60),
      none('payloads changed on the way', prototypes.faults),
      exactly(
        'objects of the server with a field from nowhere',
        detail.kind === 'answer' && isPolluted(JSON.parse(detail.text)) ? 1 : 0,
        0,
      ),
      none('lines of the log that tell of a fault', errorLines(end)),
    ]
  },
}

function newNotes() {
  return { tried: 0, served: 0, refused: 0, faults: [] as string[] }
}

/** An owner with so many of everything that each of their lists has a second page. */
interface Listed {
  apiKey: string
  runtime: CreatedRuntime
  ids: readonly string[]
}

const Named = z.object({
  projectId: z.string().optional(),
  keyId: z.string().optional(),
  executionId: z.string().optional(),
})

async function fill({ server, endpoint }: Stage, apiKey: string): Promise<Listed> {
  const { url } = server
  const ids: string[] = []
  const named = async (path: string, body: unknown) =>
    void ids.push(
      ...Object.values(Named.parse(await post(`${url}${path}`, apiKey, body))).filter((id) => id !== undefined),
    )
  const runtimes: CreatedRuntime[] = []
  for (let serial = 0; serial < EACH; serial += 1) {
    const runtime = await addRuntime({ server, owner: { apiKey } }, endpoint.url, capability('probe'))
    runtimes.push(runtime)
    await named('/v1/projects', { name: `Shops ${serial}` })
    await named('/v1/account/keys', { name: `Key ${serial}` })
  }
  const [runtime] = runtimes
  if (runtime === undefined) throw new Error('there is no runtime')
  for (let serial = 0; serial < EACH; serial += 1) await named(probePath(runtime), { input: {} })
  return { apiKey, runtime, ids: [...ids, ...runtimes.map(({ runtimeId }) => runtimeId)] }
}

const Page = z.object({ nextCursor: z.string() })

/** Uses one owner's cursors, whole and spoiled, on every list of another: no id of the first may ever be shown. */
async function abuseCursors(client: Client, [one, other]: [Listed, Listed], random: Random) {
  const notes = newNotes()
  const listsOf = ({ runtime }: Listed) => [
    ...['/v1/runtimes', '/v1/executions', '/v1/projects', '/v1/account/keys'],
    `/v1/traces/runtime/${runtime.runtimeId}`,
  ]
  const cursors: string[] = []
  for (const path of listsOf(one)) {
    const heard = await client.send({ method: 'GET', path: `${path}?limit=1`, key: one.apiKey })
    cursors.push(Page.parse(JSON.parse(heard.kind === 'answer' ? heard.text : '{}')).nextCursor)
  }
  const asks = listsOf(other).flatMap((path) =>
    cursors
      .flatMap((whole) => spoiled(whole, random))
      .map((cursor) => `${path}?limit=200&cursor=${encodeURIComponent(cursor)}`),
  )
  for (const path of asks) {
    const heard = await client.send({ method: 'GET', path, key: other.apiKey })
    const [status, text] = heard.kind === 'answer' ? [heard.status, heard.text] : [0, heard.reason]
    notes.tried += 1
    if (status === 200) notes.served += 1
    else if (status === 400) notes.refused += 1
    else notes.faults.push(`${path}: ${status}`)
    if (one.ids.some((id) => text.includes(id))) notes.faults.push(`${path} shows another account’s id`)
  }
  return notes
}

function spoiled(cursor: string, random: Random): string[] {
  const at = random.int(0, cursor.length - 1)
  const [time, id] = z.tuple([z.number(), z.string()]).parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  const forged: unknown[] = [
    ...[
      [Number.MAX_SAFE_INTEGER, id],
      [-Number.MAX_SAFE_INTEGER, id],
      [time, `${id}' or 1=1 --`],
      [time, ''],
    ],
    ...[
      [`${time}`, id],
      [time, id, id],
      [{ $gt: 0 }, id],
      [1e308, id],
      [time + 0.5, 'z'.repeat(128)],
    ],
    ...[{ at: time, id }, null],
  ]
  const cut = cursor.slice(0, at)
  return [
    ...[cursor, cut, cut + random.pick(['A', '_', '=', '%', '\u0000']) + cursor.slice(at + 1), cursor + cursor],
    ...[`${cursor}=`, '[]', 'null', ' '],
    ...forged.map((content) => Buffer.from(JSON.stringify(content)).toString('base64url')),
  ]
}

const PROTOTYPE_KEYS = ['__proto__', 'constructor', 'prototype', '\\u005f_proto__', 'toString', '__defineGetter__']
const PAYLOADS = ['{"polluted":true}', '"polluted"', 'null', '{"prototype":{"polluted":true}}', '[{"polluted":true}]']

/** Sends keys that name a prototype at every depth: each payload reaches the owner to the byte, or is refused. */
async function sendPrototypeKeys(client: Client, { endpoint }: Stage, path: string) {
  const notes = newNotes()
  const nested = (key: string, payload: string, depth: number): string =>
    depth === 0 ? `{"${key}":${payload}}` : `{"a":${nested(key, payload, depth - 1)}}`
  const inputs = PROTOTYPE_KEYS.flatMap((key) =>
    Array.from({ length: 12 }, (_, depth) => PAYLOADS.map((payload) => nested(key, payload, depth))).flat(),
  )
  for (const input of ['{}', ...inputs]) {
    endpoint.lastCall = null
    // Text, because JavaScript would not write every key that JSON can hold.
    const heard = await client.send({ method: 'POST', path, text: `{"input":${input},"metadata":${input}}` })
    const status = heard.kind === 'answer' ? heard.status : 0
    const received = calledWith(endpoint)
    if (status === 400 && received === null) notes.refused += 1
    else if (status === 200 && received?.includes(`"input":${input},"metadata":${input}`)) notes.served += 1
    else notes.faults.push(`${status} for ${input}, of which the owner got ${received}`)
  }
  return notes
}

function calledWith({ lastCall }: Stage['endpoint']): string | null {
  return lastCall?.body ?? null
}

/** True when an object of the server's shows a field that nothing gave it. */
export function isPolluted(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isPolluted)
  return isJsonObject(value) && ('polluted' in value || Object.values(value).some(isPolluted))
}

/** Puts line ends into everything that may become a header, a line of the log, or a call to the owner. */
async function injectLineEnds({ server, owner, endpoint }: Stage, runtime: CreatedRuntime) {
  const notes = newNotes()
  const keys = { owner: owner.apiKey, public: runtime.publicKey, none: undefined }
  for (const [place, value] of PLACES.flatMap((one) => LINE_ENDS.map((end) => [one, end] as const))) {
    const { name, method = 'POST', path, key, body, header } = place
    endpoint.lastCall = null
    const headers = header === undefined ? [] : [[header, asBytes(value)] as const]
    const request = jsonRequest(method, path(runtime), { key: keys[key], body: body(value), headers })
    const heard = await exchangeOnce(server.port, request)
    notes.tried += 1
    const told = `${name}, ${JSON.stringify(value)}: `
    // Behind an empty line comes another request, whose fault may close the connection before the first is answered.
    const isSplit = header !== undefined && value.includes('\r\n\r\n')
    notes.faults.push(...faultsOf(heard, isSplit).map((fault) => told + fault))
    if (hasMark(endpoint)) notes.faults.push(`${told}the call to the owner has a header of the caller’s`)
  }
  return notes
}

function faultsOf(heard: RawHeard, mayClose: boolean): string[] {
  if (heard.kind !== 'answer') return mayClose ? [] : [heard.kind]
  const { status, headers } = heard.answer
  if (status >= 500 && status !== 502) return [String(status)]
  return headers.has(MARK) ? ['the answer has a header of the caller’s'] : []
}

function hasMark({ lastCall }: Stage['endpoint']): boolean {
  return MARK in (lastCall?.headers ?? {})
}

/** False for a line that is no JSON, or that is headed by a caller's text. */
function isLogLine(line: string): boolean {
  try {
    const parsed: unknown = JSON.parse(line)
    return typeof parsed === 'object' && parsed !== null && !(MARK in parsed)
  } catch {
    return false
  }
}
