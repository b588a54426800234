import { RE2JS } from 're2js'

/**
 * Whether a text matches an owner's pattern, on the linear engine: such a pattern must not be able to hold the process.
 * Without a pattern, and for one that the engine cannot run, everything matches. Compiled when first asked.
 */
export function linearMatcher(pattern: string): (text: string) => boolean {
  let compiled: RE2JS | null | undefined
  return (text) => {
    compiled ??= pattern === '' ? null : compile(pattern)
    return compiled === null || compiled.matcher(text).find()
  }
}

function compile(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern))
  } catch {
    return null
  }
}
