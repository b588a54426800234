import { linearPattern } from '@svc/contract/linear-pattern'
import { RE2JS } from 're2js'

/** Compiles an owner's pattern for an engine of linear time. Throws for look-around and back-references. */
export function linearRegExp(pattern: string): { test(text: string): boolean; toString(): string } {
  const compiled = compile(pattern)
  // Ajv caches compiled patterns by their string form.
  return { test: (text) => compiled.matcher(text).find(), toString: () => `re2:${pattern}` }
}
// Ajv requires a name for standalone code, which is not generated here.
linearRegExp.code = 'linearRegExp'

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(linearPattern(pattern)))
  } catch (cause) {
    const shown = pattern.length > 120 ? `${pattern.slice(0, 120)}…` : pattern
    const limits = 'no look-around, no back-references, no repeats above 1000'
    throw new Error(`the pattern “${shown}” is not valid or cannot be run in linear time (${limits})`, { cause })
  }
}
