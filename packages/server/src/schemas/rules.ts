import type { JsonObject } from '@svc/contract'

/**
 * The cost of a schema; Infinity where that has no end or is not known. A unit is a keyword, a value in a list of a keyword,
 * or an instruction of a pattern.
 */
export interface SchemaWeight {
  /** Of the schema as it stands. */
  compile: number
  /** Of the schema with each reference replaced by its target. */
  check: number
}

// A unit takes some 50 µs to compile, 5 ms in all.
const MAX_COMPILE_INLINE = 100
// Units times characters of the input. One takes 40 ns at most, 10 ms in all.
const MAX_CHECK_INLINE = 250_000
const MAX_COMPILE = 50_000
const MAX_CHECK = 1_000_000
const MAX_REFERENCES_IN_A_ROW = 100

/** Whether the thread of the event loop may compile a schema, and check an input of so many characters against it. */
export function isInline({ compile, check }: SchemaWeight, characters: number): boolean {
  return compile <= MAX_COMPILE_INLINE && check * characters <= MAX_CHECK_INLINE
}

export const TOO_SLOW = 'takes too long to check: make it smaller, with fewer references and smaller patterns.'

/** Why a schema costs more than is accepted; null where it does not. One whose cost is not known is tried out instead. */
export function weightProblem({ compile, check }: SchemaWeight): string | null {
  const isPast = (units: number, most: number) => Number.isFinite(units) && units > most
  return isPast(compile, MAX_COMPILE) || isPast(check, MAX_CHECK) ? TOO_SLOW : null
}

type ReferenceWeight = (reference: string) => number

export function weigh(schema: JsonObject): SchemaWeight {
  const targets = new Map<string, number>()
  let inARow = 0
  const targetWeight: ReferenceWeight = (reference) => {
    const known = targets.get(reference)
    if (known !== undefined || inARow === MAX_REFERENCES_IN_A_ROW) return known ?? Number.POSITIVE_INFINITY
    // A reference that leads back here meanwhile has no end.
    targets.set(reference, Number.POSITIVE_INFINITY)
    inARow += 1
    const target = targetOf(schema, reference)
    const weight = target === undefined ? Number.POSITIVE_INFINITY : weightOf(target, targetWeight)
    inARow -= 1
    targets.set(reference, weight)
    return weight
  }
  // A name of its own inside the schema changes where references lead.
  const hasNames = /"\$(?:id|anchor|dynamicAnchor|dynamicRef|recursiveRef)":"/.test(
    JSON.stringify({ ...schema, $id: 0 }),
  )
  const check = hasNames ? Number.POSITIVE_INFINITY : weightOf(schema, targetWeight)
  return { compile: weightOf(schema, () => 1), check }
}

function weightOf(value: unknown, referenceWeight: ReferenceWeight): number {
  if (typeof value !== 'object' || value === null) return 1
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + weightOf(item, referenceWeight), 1)
  return Object.entries(value).reduce((sum, member) => sum + memberWeight(member, referenceWeight), 1)
}

function memberWeight([name, value]: [string, unknown], referenceWeight: ReferenceWeight): number {
  if (name === 'pattern' && typeof value === 'string') return patternWeight(value)
  if (name === '$ref' && typeof value === 'string') return referenceWeight(value)
  if ((name === 'title' || name === 'description') && typeof value === 'string') return 0
  const names = name === 'patternProperties' ? Object.keys(Object(value)) : []
  return names.reduce((sum, pattern) => sum + patternWeight(pattern), weightOf(value, referenceWeight))
}

/** What a JSON pointer into the schema leads to; undefined for every other reference. */
function targetOf(schema: JsonObject, reference: string): unknown {
  if (!/^#(?:\/[^%]*)?$/.test(reference)) return undefined
  const steps = reference.split('/').slice(1)
  return steps.reduce<unknown>((at, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof at === 'object' && at !== null ? Object.getOwnPropertyDescriptor(at, name)?.value : undefined
  }, schema)
}

const CLASSES = /\\.|\[(?:\\.|[^\]\\])*\]/gs
const COUNTS = /\{(\d+)(?:,(\d*))?\}/g

/**
 * How many instructions the engine makes of a pattern, at most; Infinity where a group or a category of characters may be
 * of any size, so that only the thread compiles it.
 */
export function patternWeight(pattern: string): number {
  const atoms = pattern.replace(CLASSES, 'c')
  if (/\\p/i.test(pattern) || /[)}]\{/.test(atoms)) return Number.POSITIVE_INFINITY
  const repeated = [...atoms.matchAll(COUNTS)].map(([, least, most]) => (most ? 2 * Number(most) : Number(least)))
  return repeated.reduce((sum, times) => sum + times, atoms.replace(COUNTS, '').length + 4)
}
