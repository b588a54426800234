import { linearPattern } from '@svc/contract/linear-pattern'
import { RE2JS } from 're2js'

/** A pattern of an owner's schema, on an engine of linear time. Throws for look-around, back-references and the like. */
export function linearRegExp(pattern: string): { test(text: string): boolean; toString(): string } {
  const compiled = compile(pattern)
  // Ajv caches compiled patterns by their string form, so it must be the pattern's own.
  return { test: (text) => compiled.matcher(text).find(), toString: () => `re2:${pattern}` }
}
// Ajv asks for the name under which standalone code would import it. No code is written out here.
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
