import { readProperty } from './read-property.ts'
import { withoutStack } from './without-stack.ts'

const NO_WORDS = 'The capability failed.'
/** How many characters the model is given at most of why a call failed. */
export const MAX_MESSAGE_LENGTH = 2_000
// Only as much is looked through for a stack.
const MAX_READ = 10_000
const SHORTEST_TOKEN = 8

/**
 * What the model may read of a thrown value: its message, never its stack or its causes. Stack lines that somebody put
 * into the message are dropped, and so is the end user’s token. Never throws.
 */
export function failureMessage(thrown: unknown, endUserToken: string | undefined): string {
  const words = withoutToken(wordsOf(thrown), endUserToken).slice(0, MAX_READ)
  return withoutStack(words).slice(0, MAX_MESSAGE_LENGTH) || NO_WORDS
}

function wordsOf(thrown: unknown): string {
  const words = typeof thrown === 'string' ? thrown : readProperty(thrown, 'message')
  return typeof words === 'string' ? words : ''
}

// A very short token would turn up inside ordinary words. “Bearer x” is looked for as x, too, and as a URL writes it.
function withoutToken(words: string, endUserToken = ''): string {
  const forms = [endUserToken, ...endUserToken.split(' ')].flatMap((form) => [form, asInUrl(form)])
  return forms
    .filter((form) => form.length >= SHORTEST_TOKEN)
    .reduce((left, form) => left.replaceAll(form, '[end-user token]'), words)
}

function asInUrl(token: string): string {
  return new URLSearchParams([['', token]]).toString().slice(1)
}
