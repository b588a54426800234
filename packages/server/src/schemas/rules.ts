import type { JsonObject } from '@svc/contract'
import { resolveReferences } from '@svc/contract/resolve-references'

const MAX_CHARACTERS_INLINE = 8 * 1024
// A unit takes some 50 µs to compile, 5 ms in all.
const MAX_COMPILE_INLINE = 100
// Units times characters of the input. One takes 40 ns at most, 10 ms in all.
const MAX_CHECK_INLINE = 250_000
const MAX_COMPILE = 50_000
const MAX_CHECK = 1_000_000
const MAX_REFERENCES_IN_A_ROW = 100

/** How long an input may be for the thread of the event loop to check it, and compile the schema: 0 where none is. */
export function maxInlineCharacters(schema: JsonObject): number {
  const text = JSON.stringify(schema)
  // To weigh a long one would take long here, and so would one whose references depend on the way to them.
  if (text.length > MAX_CHARACTERS_INLINE || text.includes('$dynamic')) return 0
  try {
    const { compile, check } = weigh(resolveReferences(schema))
    return compile > MAX_COMPILE_INLINE ? 0 : MAX_CHECK_INLINE / check
  } catch {
    return 0
  }
}

/** Why a resolved schema costs more than is accepted; null where it does not. One whose cost is not known is tried out instead. */
export function weightProblem(schema: JsonObject): string | null {
  const { compile, check } = weigh(schema)
  const isPast = (units: number, most: number) => Number.isFinite(units) && units > most
  if (!isPast(compile, MAX_COMPILE) && !isPast(check, MAX_CHECK)) return null
  return 'takes too long to check: make it smaller, with fewer references and smaller patterns.'
}

/**
 * The cost of a schema as it stands, and with each of its resolved references replaced by its target; Infinity where it has
 * no end or is not known. A unit is a keyword, a value in a list of a keyword, or an instruction of a pattern.
 */
export function weigh({ $defs, ...schema }: JsonObject): { compile: number; check: number } {
  const known = new Map<string, number>()
  let inARow = 0
  const targetWeight = (reference: string): number => {
    const weight = known.get(reference)
    if (weight !== undefined || inARow === MAX_REFERENCES_IN_A_ROW) return weight ?? Number.POSITIVE_INFINITY
    // A reference that leads back here meanwhile has no end.
    known.set(reference, Number.POSITIVE_INFINITY)
    inARow += 1
    known.set(reference, weightOf(Object($defs)[reference.replace('#/$defs/', '')], targetWeight))
    inARow -= 1
    return known.get(reference) ?? 0
  }
  return { compile: weightOf({ $defs, ...schema }, () => 1), check: weightOf(schema, targetWeight) }
}

function weightOf(value: unknown, targetWeight: (reference: string) => number): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.entries(value).reduce((sum, [name, member]) => {
    // These keywords try parts of the schema apart.
    if (name.startsWith('unevaluated')) return Number.POSITIVE_INFINITY
    if (typeof member === 'string') return sum + textWeight(name, member, targetWeight)
    const patterns = name === 'patternProperties' ? Object.keys(Object(member)) : []
    return patterns.reduce((all, pattern) => all + patternWeight(pattern), sum + weightOf(member, targetWeight))
  }, 1)
}

function textWeight(name: string, text: string, targetWeight: (reference: string) => number): number {
  if (name === '$ref') return targetWeight(text)
  if (name === 'pattern') return patternWeight(text)
  return name === 'title' || name === 'description' ? 0 : 1
}

/** How many instructions the engine makes of a pattern, at most; Infinity where that takes compiling it to tell. */
export function patternWeight(pattern: string): number {
  const atoms = pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'c')
  // A category of characters, or a repeated group, may be of any size.
  if (/\\p/i.test(pattern) || /[)}]\{/.test(atoms)) return Number.POSITIVE_INFINITY
  const counts = atoms.match(/\d+(?=,?\})/g) ?? []
  return counts.reduce((sum, times) => sum + 2 * Number(times), atoms.length + 4)
}
