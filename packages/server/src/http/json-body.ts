import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { heapWeight, transcriptWeight } from '../admission/heap-weight.ts'
import { ANONYMOUS, type HeldBytes } from '../admission/in-flight.ts'
import { bodyTooLarge, invalid, invalidField, noRoom } from '../errors.ts'
import { BoundedBuffer } from '../lib/bounded-buffer.ts'
import { INEXACT_NUMBER, inexactNumber } from '../lib/inexact-number.ts'
import { PrototypeKeyError, parseJson } from '../lib/json-parse.ts'
import { measureJson } from '../lib/json-scan.ts'
import type { Limits } from '../limits.ts'
import type { HttpDeps } from './deps.ts'
import { notJson } from './error-handler.ts'
import { invalidText, mayHoldInvalidText } from './invalid-text.ts'
import { stateOf } from './request-state.ts'

/** The fields of a body that are passed on to capabilities and traces. */
export const PASSED_ON_FIELDS = ['input', 'metadata'] as const

/** A body up to this size has mostly arrived with the request's head, and is parsed at once. A larger one takes its turn. */
export const SMALL_BODY_BYTES = 64 * 1024

const incomplete = () => invalidField('body', 'did not arrive whole.')

export function acceptJson(
  app: FastifyInstance,
  { limits, synchronousWork }: Pick<HttpDeps, 'limits' | 'synchronousWork'>,
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const { held, config, accountId, closed } = stateOf(request)
    const { exactFields, maxBodyBytes = limits.bodyBytes } = config
    const { jsonDepth, jsonValues } = limits
    const parse = (bytes: Buffer) => {
      try {
        done(null, parseBody(decode(bytes), { jsonDepth, jsonValues, exactFields, held }))
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    }
    readBody(payload, { maxBytes: Math.min(maxBodyBytes, limits.bodyBytes), held }, (bytes) => {
      if (bytes instanceof Error) done(bytes)
      else if (bytes.length <= SMALL_BODY_BYTES) parse(bytes)
      else synchronousWork.run(accountId ?? ANONYMOUS, () => parse(bytes), closed).catch(() => done(incomplete()))
    })
  })
  app.addContentTypeParser('*', (_request, _payload, done) => done(notJson()))
}

/** Reads a body, counted against its account as announced, or else as it arrives. A refused body is left unread. */
export function readBody(
  payload: IncomingMessage,
  { maxBytes, held }: { maxBytes: number; held: HeldBytes | null },
  done: (bytes: Buffer | Error) => void,
): void {
  const { 'content-length': length = '' } = payload.headers
  const body = new BoundedBuffer(maxBytes, length === '' ? null : Number(length))
  const finish = (result: Buffer | Error) => {
    payload.off('data', onData).off('end', onEnd).off('error', onError)
    // The rest of a refused body is discarded later: see discard-bodies.ts.
    if (result instanceof Error && !payload.complete) payload.pause()
    else payload.resume()
    done(result)
  }
  const onData = (chunk: Buffer) => {
    const shortage = reserved > 0 ? null : held?.grow(chunk.length)
    if (shortage) finish(noRoom(shortage))
    else if (!body.append(chunk)) finish(bodyTooLarge(maxBytes))
  }
  const onEnd = () => finish(body.bytes())
  const onError = () => finish(incomplete())
  if (Number(length) > maxBytes) return void done(bodyTooLarge(maxBytes))
  // The sender left while its credential was looked up: no event would follow.
  if (payload.destroyed) return void onError()
  // The heap that most bodies take once parsed. If their bytes alone let them in, none would have room in the end.
  const reserved = transcriptWeight(Number(length))
  const shortage = held?.grow(reserved)
  if (shortage) finish(noRoom(shortage))
  else payload.on('data', onData).on('end', onEnd).on('error', onError)
}

// Without `fatal`, invalid bytes become U+FFFD, and something else is stored than was sent.
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes)
  } catch {
    throw invalidField('body', 'is not valid UTF-8.')
  }
}

interface BodyRules extends Pick<Limits, 'jsonDepth' | 'jsonValues'> {
  /** Fields whose numbers must not be rounded by parsing. */
  exactFields?: readonly string[] | undefined
  /** Holds the bytes of the parsed body, in place of those that were reserved for it. */
  held?: HeldBytes | null
}

/** Parses a body; an empty one is undefined. Throws a validation error. */
export function parseBody(text: string, rules: BodyRules): unknown {
  const { jsonDepth, jsonValues, exactFields = [], held } = rules
  if (text.trim() === '') return undefined
  // Measured on the text: a parsed tree of any depth and width would take too long to walk.
  const extent = measureJson(text, { depth: jsonDepth, values: jsonValues })
  if (extent.depth > jsonDepth) throw invalidField('body', `is nested more than ${jsonDepth} levels deep.`)
  if (extent.values > jsonValues) throw invalidField('body', `holds more than ${jsonValues} values.`)
  // In place of the reservation: if reservations fill the share, a body must still be able to take its own place.
  const shortage = held?.resize(heapWeight({ bytes: Buffer.byteLength(text), ...extent }))
  if (shortage) throw noRoom(shortage)
  const value = parse(text)
  // Later hooks read null as an absent body.
  if (value === null) throw invalidField('body', 'must be a JSON object, not null.')
  const found = mayHoldInvalidText(text) ? invalidText(value) : null
  if (found) throw invalidField(found.path || 'body', found.message)
  const path = exactFields.length === 0 ? null : inexactNumber(text, exactFields)
  if (path === null) return value
  // The top-level field is named as well: callers look for the field that they sent.
  const [field = path] = path.split('.', 1)
  throw invalid({ [field]: [INEXACT_NUMBER], [path]: [INEXACT_NUMBER] })
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
