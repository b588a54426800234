import type { JsonObject } from '@svc/contract'
import { resolveReferences } from '@svc/contract/resolve-references'

const MAX_CHARACTERS_INLINE = 8 * 1024
// A unit takes some 50 µs to compile, 5 ms in all.
const MAX_COMPILE_INLINE = 100
// Units times characters of the input. One takes 40 ns at most, 10 ms in all.
const MAX_CHECK_INLINE = 250_000
const MAX_COMPILE = 50_000
const MAX_CHECK = 1_000_000
const MAX_REFERENCE_DEPTH = 100

/** The length up to which an input is checked, and the schema compiled, on the main thread. */
export function maxInlineCharacters(schema: JsonObject): number {
  const text = JSON.stringify(schema)
  // Weighing a long schema, or one with dynamic references, takes too long here.
  if (text.length > MAX_CHARACTERS_INLINE || text.includes('$dynamic')) return 0
  try {
    const { compile, check } = weigh(resolveReferences(schema))
    return compile > MAX_COMPILE_INLINE ? 0 : MAX_CHECK_INLINE / check
  } catch {
    return 0
  }
}

/** Why a resolved schema is too expensive, or null. One of unknown cost is compiled and timed instead. */
export function weightProblem(schema: JsonObject): string | null {
  const { compile, check } = weigh(schema)
  const isPast = (units: number, most: number) => Number.isFinite(units) && units > most
  if (!isPast(compile, MAX_COMPILE) && !isPast(check, MAX_CHECK)) return null
  return 'takes too long to check: make it smaller, with fewer references and smaller patterns.'
}

/**
 * The cost of compiling a schema, and of checking, with references followed; Infinity where it is endless or unknown. A unit is
 * a keyword, a value in a list of a keyword, or an instruction of a pattern.
 */
export function weigh({ $defs, ...schema }: JsonObject): { compile: number; check: number } {
  const known = new Map<string, number>()
  let depth = 0
  const targetWeight = (reference: string): number => {
    const weight = known.get(reference)
    if (weight !== undefined || depth === MAX_REFERENCE_DEPTH) return weight ?? Number.POSITIVE_INFINITY
    // For a reference that leads back here.
    known.set(reference, Number.POSITIVE_INFINITY)
    depth += 1
    known.set(reference, weightOf(Object($defs)[reference.replace('#/$defs/', '')], targetWeight))
    depth -= 1
    return known.get(reference) ?? 0
  }
  return { compile: weightOf({ $defs, ...schema }, () => 1), check: weightOf(schema, targetWeight) }
}

function weightOf(value: unknown, targetWeight: (reference: string) => number): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.entries(value).reduce((sum, [name, member]) => {
    // These keywords check parts of the schema repeatedly.
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

/** The most instructions that the engine makes of a pattern; Infinity where only compiling it would tell. */
export function patternWeight(pattern: string): number {
  const atoms = pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'c')
  // A character category or a repeated group may have any size.
  if (/\\p/i.test(pattern) || /[)}]\{/.test(atoms)) return Number.POSITIVE_INFINITY
  const counts = atoms.match(/\d+(?=,?\})/g) ?? []
  return counts.reduce((sum, times) => sum + 2 * Number(times), atoms.length + 4)
}
