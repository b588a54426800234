import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { heapWeight, transcriptWeight } from '../admission/heap-weight.ts'
import type { HeldBytes } from '../admission/in-flight.ts'
import { bodyTooLarge, invalidField, noRoom } from '../errors.ts'
import { PrototypeKeyError, parseJson } from '../json-parse.ts'
import { type JsonExtent, measureJson } from '../json-scan.ts'
import { BoundedBuffer } from '../lib/bounded-buffer.ts'
import type { Limits } from '../limits.ts'
import { notesOf } from './request-notes.ts'
import { maySpoilText, textFault } from './text-fault.ts'

type BodyLimits = Pick<Limits, 'jsonDepth' | 'jsonValues'>

/** Takes JSON bodies and nothing else. What is malformed, of another type, or too deep is a fault of `body`. */
export function acceptJson(app: FastifyInstance, limits: BodyLimits & Pick<Limits, 'bodyBytes'>): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const { held } = notesOf(request)
    readBody(payload, { maxBytes: limits.bodyBytes, held }, (bytes) => {
      try {
        if (bytes instanceof Error) throw bytes
        done(
          null,
          parseBody(decode(bytes), limits, (extent) =>
            weigh(held, reservedFor(payload) || bytes.length, { bytes: bytes.length, ...extent }),
          ),
        )
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    })
  })
  app.addContentTypeParser('*', (_request, _payload, done) => {
    done(invalidField('body', 'must be JSON: send content-type: application/json.'))
  })
}

/** Reads a body, counted against its account as announced, otherwise as it arrives. What is refused is thrown away unread. */
export function readBody(
  payload: IncomingMessage,
  { maxBytes, held }: { maxBytes: number; held: HeldBytes | null },
  done: (bytes: Buffer | Error) => void,
): void {
  const body = new BoundedBuffer(maxBytes)
  const finish = (result: Buffer | Error) => {
    payload.off('data', onData).off('end', onEnd).off('error', finish)
    payload.resume()
    done(result)
  }
  const onData = (piece: Buffer) => {
    const shortage = reserved > 0 ? null : held?.grow(piece.length)
    if (shortage) finish(noRoom(shortage))
    else if (!body.append(piece)) finish(bodyTooLarge(maxBytes))
  }
  const onEnd = () => finish(body.bytes())
  if (Number(payload.headers['content-length']) > maxBytes) return void done(bodyTooLarge(maxBytes))
  const reserved = reservedFor(payload)
  const shortage = held?.grow(reserved)
  if (shortage) finish(noRoom(shortage))
  else payload.on('data', onData).on('end', onEnd).on('error', finish)
}

// What most bodies take once they are parsed. If many were let in at their bytes alone, none would have room in the end.
function reservedFor({ headers }: IncomingMessage): number {
  return transcriptWeight(Number(headers['content-length'] ?? 0))
}

// Some of it is counted already.
function weigh(held: HeldBytes | null, counted: number, extent: JsonExtent & { bytes: number }): void {
  const shortage = held?.grow(Math.max(0, heapWeight(extent) - counted))
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

/** Parses a body, once `onMeasured` agrees; an empty one is none. Throws the validation error that says what is wrong. */
export function parseBody(
  text: string,
  { jsonDepth, jsonValues }: BodyLimits,
  onMeasured: (extent: JsonExtent) => void = () => {},
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
  return value
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
