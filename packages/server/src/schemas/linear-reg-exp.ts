import { RE2JS } from 're2js'

interface LinearRegExp {
  test(text: string): boolean
  toString(): string
}

/**
 * A regular expression of an owner's schema, on an engine whose time is linear in its input. Throws for a pattern that the
 * engine cannot run (look-around, back-references), so that it is refused at deploy.
 */
export function linearRegExp(pattern: string): LinearRegExp {
  const compiled = compile(pattern)
  // Ajv caches compiled patterns by their string form, so it must be the pattern's own.
  return { test: (text) => compiled.matcher(text).find(), toString: () => `re2:${pattern}` }
}
// Ajv asks for the name under which standalone code would import it. No code is written out here.
linearRegExp.code = 'linearRegExp'

// The engine reads “\k” as the letter, and quotes what follows “\Q”, which JSON Schema knows nothing of.
const FOREIGN = /(?:^|[^\\])(?:\\\\)*\\(?:k<|Q)/

function compile(pattern: string): RE2JS {
  try {
    if (FOREIGN.test(pattern)) throw new Error('a back-reference by name, or a quotation')
    return RE2JS.compile(RE2JS.translateRegExp(pattern))
  } catch (cause) {
    const shown = pattern.length > 120 ? `${pattern.slice(0, 120)}…` : pattern
    const limits = 'no look-around, no back-references, no repeats above 1000'
    throw new Error(`the pattern “${shown}” is not valid or cannot be run in linear time (${limits})`, { cause })
  }
}
