import type { FieldErrors } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { invalid, invalidField } from '../errors.ts'
import { PrototypeKeyError, parseJson } from '../json-parse.ts'
import { measureJson } from '../json-scan.ts'
import { INEXACT_NUMBER, inexactNumber } from '../lib/inexact-number.ts'
import type { Limits } from '../limits.ts'
import { maySpoilText, textFault } from './text-fault.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Fields of the body whose numbers are handed on: those that would be rounded are refused. */
    exactFields?: readonly string[]
  }
}

/** What callers hand on to capabilities and traces. */
export const HANDED_ON = ['input', 'metadata'] as const

type BodyLimits = Pick<Limits, 'jsonDepth' | 'jsonValues'>

/** Takes JSON bodies and nothing else. What is malformed, of another type, or too deep is a fault of `body`. */
export function acceptJson(app: FastifyInstance, limits: BodyLimits): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      done(null, parseBody(decode(bytes), limits, request.routeOptions.config.exactFields))
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
    }
  })
  app.addContentTypeParser('*', (_request, _payload, done) => {
    done(invalidField('body', 'must be JSON: send content-type: application/json.'))
  })
}

// Fatal, because a decoder that mends what it cannot read would store something else than was sent.
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: string | Buffer): string {
  try {
    return typeof bytes === 'string' ? bytes : UTF_8.decode(bytes)
  } catch {
    throw invalidField('body', 'is not valid UTF-8.')
  }
}

/**
 * Parses a body; an empty one is none. Throws the validation error that says what is wrong. Numbers in `exactFields` must
 * not be rounded by parsing.
 */
export function parseBody(
  text: string,
  { jsonDepth, jsonValues }: BodyLimits,
  exactFields: readonly string[] = [],
): unknown {
  if (text.trim() === '') return undefined
  // Judged on the text, because walking a parsed tree of any depth and width is what must not happen.
  const extent = measureJson(text, { depth: jsonDepth, values: jsonValues })
  if (extent.depth > jsonDepth) throw invalidField('body', `is nested more than ${jsonDepth} levels deep.`)
  if (extent.values > jsonValues) throw invalidField('body', `holds more than ${jsonValues} values.`)
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
