import { linearPattern } from '@svc/contract/linear-pattern'
import { RE2JS } from 're2js'

const MAX_SHOWN = 120

/**
 * Why a control plane does not take a pattern, and what to write instead; null where it takes it. There, patterns run on
 * an engine of linear time, so that none can hold the service.
 */
export function patternProblem(pattern: string, format: unknown = undefined): string | null {
  if (isLinear(pattern)) return null
  if (!isRegExp(pattern)) return `has the pattern “${shown(pattern)}”, which is no regular expression.`
  const instead = (typeof format === 'string' && INSTEAD.get(format)) || IN_GENERAL
  return (
    `has the pattern “${shown(pattern)}”, which the control plane cannot run in linear time ` +
    `(no look-around, no back-references, no repeats above 1000). ${instead}`
  )
}

const IN_GENERAL =
  'Write it without them, or check it in code: with zod, .refine((text) => …) says nothing in the schema.'

// Formats whose pattern, as zod writes it, looks around.
const INSTEAD = new Map([
  ['duration', byFormat('duration', 'z.iso.duration()')],
  ['hostname', byFormat('hostname', 'z.hostname()')],
  [
    'emoji',
    'Leave the pattern out: with zod, write z.string().refine((text) => z.emoji().safeParse(text).success) in place of z.emoji().',
  ],
])

function byFormat(format: string, zods: string): string {
  return `Leave the pattern out, the format says it: with zod, write z.string().meta({ format: '${format}' }) in place of ${zods}.`
}

function isRegExp(pattern: string): boolean {
  try {
    new RegExp(pattern)
    return true
  } catch {
    return false
  }
}

function isLinear(pattern: string): boolean {
  try {
    RE2JS.compile(RE2JS.translateRegExp(linearPattern(pattern)))
    return true
  } catch {
    return false
  }
}

function shown(pattern: string): string {
  return pattern.length > MAX_SHOWN ? `${pattern.slice(0, MAX_SHOWN)}…` : pattern
}
