const NO_WORDS = 'The capability failed.'
const MAX_LENGTH = 2_000
const SHORTEST_TOKEN = 8

/**
 * What the model may read of a thrown value: its message, never its stack. Stack lines that somebody put into the
 * message are dropped, and so is the end user’s token.
 */
export function failureMessage(thrown: unknown, endUserToken: string | undefined): string {
  const words = withoutStack(wordsOf(thrown))
  return withoutToken(words, endUserToken).slice(0, MAX_LENGTH) || NO_WORDS
}

function wordsOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  if (typeof thrown !== 'object' || thrown === null || !('message' in thrown)) return ''
  return typeof thrown.message === 'string' ? thrown.message : ''
}

function withoutStack(words: string): string {
  const lines = words.split('\n')
  return lines
    .filter((line) => !/^\s*at .*:\d+:\d+\)?\s*$/.test(line))
    .join('\n')
    .trim()
}

// A very short token would turn up inside ordinary words.
function withoutToken(words: string, endUserToken: string | undefined): string {
  if (endUserToken === undefined || endUserToken.length < SHORTEST_TOKEN) return words
  return words.replaceAll(endUserToken, '[end-user token]')
}
