import type { IncomingMessage } from 'node:http'
import type { FieldErrors } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { heapWeight, transcriptWeight } from '../admission/heap-weight.ts'
import { type HeldBytes, STRANGERS } from '../admission/in-flight.ts'
import type { Deps } from '../deps.ts'
import { bodyTooLarge, invalid, invalidField, noRoom } from '../errors.ts'
import { BoundedBuffer } from '../lib/bounded-buffer.ts'
import { INEXACT_NUMBER, inexactNumber } from '../lib/inexact-number.ts'
import { PrototypeKeyError, parseJson } from '../lib/json-parse.ts'
import { type JsonExtent, measureJson } from '../lib/json-scan.ts'
import type { Limits } from '../limits.ts'
import { closeOf, notesOf } from './request-notes.ts'
import { maySpoilText, textFault } from './text-fault.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Fields of the body whose numbers are handed on: those that would be rounded are refused. */
    exactFields?: readonly string[]
    /** The largest body that the route takes, in bytes, where it takes less than others. */
    maxBodyBytes?: number
  }
}

/** What callers hand on to capabilities and traces. */
export const HANDED_ON = ['input', 'metadata'] as const

/** A body of this size has mostly arrived with its head, and takes a millisecond or two; a larger one waits for its turn. */
export const SMALL_BODY_BYTES = 64 * 1024

const notWhole = () => invalidField('body', 'did not arrive whole.')

type BodyLimits = Pick<Limits, 'jsonDepth' | 'jsonValues'>

/** Takes JSON bodies and nothing else. What is malformed, of another type, or too deep is a fault of `body`. */
export function acceptJson(app: FastifyInstance, { limits, loopShare }: Pick<Deps, 'limits' | 'loopShare'>): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const { held, config, accountId } = notesOf(request)
    const { exactFields, maxBodyBytes = limits.bodyBytes } = config
    const take = (bytes: Buffer) => {
      try {
        const onMeasured = (extent: JsonExtent) => weigh(held, { bytes: bytes.length, ...extent })
        done(null, parseBody(decode(bytes), { ...limits, exactFields, onMeasured }))
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    }
    readBody(payload, { maxBytes: Math.min(maxBodyBytes, limits.bodyBytes), held }, (bytes) => {
      if (bytes instanceof Error) done(bytes)
      else if (bytes.length <= SMALL_BODY_BYTES) take(bytes)
      else loopShare.run(accountId ?? STRANGERS, () => take(bytes), closeOf(request)).catch(() => done(notWhole()))
    })
  })
  app.addContentTypeParser('*', (_request, _payload, done) => {
    done(invalidField('body', 'must be JSON: send content-type: application/json.'))
  })
}

/** Reads a body, counted against its account as announced, otherwise as it arrives. A refused body is left unread. */
export function readBody(
  payload: IncomingMessage,
  { maxBytes, held }: { maxBytes: number; held: HeldBytes | null },
  done: (bytes: Buffer | Error) => void,
): void {
  const { 'content-length': length = '' } = payload.headers
  const body = new BoundedBuffer(maxBytes, length === '' ? null : Number(length))
  const finish = (result: Buffer | Error) => {
    payload.off('data', onData).off('end', onEnd).off('error', onError)
    // The rest of what is refused waits for its turn to be thrown away.
    if (result instanceof Error && !payload.complete) payload.pause()
    else payload.resume()
    done(result)
  }
  const onData = (piece: Buffer) => {
    const shortage = reserved > 0 ? null : held?.grow(piece.length)
    if (shortage) finish(noRoom(shortage))
    else if (!body.append(piece)) finish(bodyTooLarge(maxBytes))
  }
  const onEnd = () => finish(body.bytes())
  const onError = () => finish(notWhole())
  if (Number(length) > maxBytes) return void done(bodyTooLarge(maxBytes))
  // Its sender left while its credential was looked up: nothing would be heard of it any more.
  if (payload.destroyed) return void onError()
  // The heap that most bodies take once they are parsed. If many were let in at their bytes alone, none would have room in the end.
  const reserved = transcriptWeight(Number(length))
  const shortage = held?.grow(reserved)
  if (shortage) finish(noRoom(shortage))
  else payload.on('data', onData).on('end', onEnd).on('error', onError)
}

// In place of what was reserved: an account whose reservations fill its share could parse none of its bodies otherwise.
function weigh(held: HeldBytes | null, extent: JsonExtent & { bytes: number }): void {
  const shortage = held?.resize(heapWeight(extent))
  if (shortage) throw noRoom(shortage)
}

// Fatal, because a decoder that mends what it cannot read would store something else than was sent.
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes)
  } catch {
    throw invalidField('body', 'is not valid UTF-8.')
  }
}

/** What a body is judged by beside its limits. */
interface BodyRules extends BodyLimits {
  /** Fields whose numbers must not be rounded by parsing. */
  exactFields?: readonly string[] | undefined
  /** Throws where there is no room for what the body becomes when it is parsed. */
  onMeasured?: (extent: JsonExtent) => void
}

/** Parses a body; an empty one is none. Throws the validation error that says what is wrong. */
export function parseBody(
  text: string,
  { jsonDepth, jsonValues, exactFields = [], onMeasured = () => {} }: BodyRules,
): unknown {
  if (text.trim() === '') return undefined
  // Judged on the text, because walking a parsed tree of any depth and width is what must not happen.
  const extent = measureJson(text, { depth: jsonDepth, values: jsonValues })
  if (extent.depth > jsonDepth) throw invalidField('body', `is nested more than ${jsonDepth} levels deep.`)
  if (extent.values > jsonValues) throw invalidField('body', `holds more than ${jsonValues} values.`)
  onMeasured(extent)
  const value = parse(text)
  // Further on, null stands for a body that is absent.
  if (value === null) throw invalidField('body', 'must be a JSON object, not null.')
  const fault = maySpoilText(text) ? textFault(value) : null
  if (fault) throw invalidField(fault.path || 'body', fault.message)
  const inexact = exactFields.length === 0 ? null : inexactNumber(text, exactFields)
  if (inexact !== null) throw invalid(inexactFault(inexact))
  return value
}

// Its top-level field is named, too, for callers that look for the field they sent.
function inexactFault(path: string): FieldErrors {
  const [field = path] = path.split('.', 1)
  return { [field]: [INEXACT_NUMBER], [path]: [INEXACT_NUMBER] }
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof PrototypeKeyError) throw invalidField('body', 'must not contain the key “__proto__”.')
    if (error instanceof SyntaxError) throw invalidField('body', 'is not valid JSON.')
    throw error
  }
}
