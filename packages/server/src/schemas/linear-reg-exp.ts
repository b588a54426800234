import { categoryAdvice } from '@svc/contract/unsupported-schema'
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
    return RE2JS.compile(withWhiteSpace(RE2JS.translateRegExp(pattern)))
  } catch (cause) {
    const shown = pattern.length > 120 ? `${pattern.slice(0, 120)}…` : pattern
    const limits = 'no look-around, no back-references, no repeats above 1000'
    const advice = categoryAdvice(pattern) ?? ''
    throw new Error(
      `the pattern “${shown}” is not valid or cannot be run in linear time (${limits}) ${advice}`.trim(),
      {
        cause,
      },
    )
  }
}

// White space is what JSON Schema’s regular expressions say; the engine’s own is a part of it.
const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const OTHERS =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'

function withWhiteSpace(pattern: string): string {
  let isInClass = false
  return pattern.replaceAll(/\\.|[[\]]/gs, (token) => {
    if (token === '[') isInClass = true
    if (token === ']') isInClass = false
    if (token !== '\\s' && token !== '\\S') return token
    const ranges = token === '\\s' ? SPACE : OTHERS
    return isInClass ? ranges : `[${ranges}]`
  })
}
