import { RE2JS } from 're2js'

interface LinearRegExp {
  test(text: string): boolean
  toString(): string
}

/**
 * The regular expressions of owners' schemas, on an engine whose time is linear in its input, so that no pattern can hold
 * the process. What it cannot run (look-around, back-references) throws and is refused at deploy. `onCompiled` hears how
 * many instructions each has, which is what a character may cost.
 */
export function linearRegExps(onCompiled: (instructions: number) => void = () => {}) {
  const linearRegExp = (pattern: string): LinearRegExp => {
    const compiled = compile(pattern)
    onCompiled(compiled.programSize())
    // Ajv shares compiled patterns by their string form, so that must be the pattern's own.
    return { test: (text) => compiled.matcher(text).find(), toString: () => `re2:${pattern}` }
  }
  // Ajv asks every engine how generated standalone code would name it; nothing here is ever written out as code.
  linearRegExp.code = 'linearRegExp'
  return linearRegExp
}

// The engine takes “\k” for the letter.
const NAMED_REFERENCE = /(?:^|[^\\])(?:\\\\)*\\k</

function compile(pattern: string): RE2JS {
  try {
    if (NAMED_REFERENCE.test(pattern)) throw new Error('a back-reference by name')
    return RE2JS.compile(RE2JS.translateRegExp(pattern))
  } catch (cause) {
    const shown = pattern.length > 120 ? `${pattern.slice(0, 120)}…` : pattern
    const limits = 'no look-around, no back-references, no repeats above 1000'
    throw new Error(`the pattern “${shown}” is not valid or cannot be run in linear time (${limits})`, { cause })
  }
}
