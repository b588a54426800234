import { JsonDocument } from '../lib/json-document.ts'
import type { Secret } from '../secrets/secret.ts'

const REPLACEMENT = '[end-user token]'
// A shorter token occurs inside ordinary words.
const MIN_LENGTH = 16
// Searching for a long token takes seconds in a hostile text: only its end is searched, then compared backwards.
const SEARCHED_LENGTH = 64
const MAX_WORDS = 4

/** Replaces the end user's token in inputs and outputs before the model, the trace and the log get them. */
export interface Redactor {
  text(text: string): string
  /** Text values alone, never keys. The same object where no text holds the token. */
  json(written: JsonDocument): JsonDocument
  /** The same of JSON text. */
  jsonText(written: string): string
}

const NOTHING_TO_REDACT: Redactor = { text: (text) => text, json: (written) => written, jsonText: (text) => text }
const redactors = new WeakMap<Secret, Redactor>()

/** Without a token, or with one of fewer than 16 characters, nothing is replaced. */
export function redactorOf(endUserToken: Secret | undefined): Redactor {
  if (!endUserToken) return NOTHING_TO_REDACT
  const known = redactors.get(endUserToken) ?? createRedactor(endUserToken.reveal())
  redactors.set(endUserToken, known)
  return known
}

function createRedactor(token: string): Redactor {
  if (token.length < MIN_LENGTH) return NOTHING_TO_REDACT
  // “Bearer x” also counts as x.
  const secrets = [token, ...token.split(' ', MAX_WORDS)].filter(({ length }) => length >= MIN_LENGTH)
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((one, other) => other.length - one.length)
  const inJson = forms.map((form) => endOf(jsonEscaped(form)))
  const text = (given: string) => forms.reduce(withoutForm, given)
  const jsonText = (written: string) => {
    if (!inJson.some((form) => written.includes(form))) return written
    return JSON.stringify(JSON.parse(written, (_, value) => (typeof value === 'string' ? text(value) : value)))
  }
  return {
    text,
    json(written) {
      const redacted = jsonText(written.text)
      return redacted === written.text ? written : new JsonDocument(redacted)
    },
    jsonText,
  }
}

function endOf(form: string): string {
  return form.slice(-SEARCHED_LENGTH)
}

function withoutForm(text: string, form: string): string {
  const end = endOf(form)
  let [kept, from] = ['', 0]
  for (let at = text.indexOf(end); at !== -1; at = text.indexOf(end, from)) {
    let [start, left] = [at, form.length - end.length]
    for (; left > 0 && start > from && text[start - 1] === form[left - 1]; left -= 1) start -= 1
    kept += text.slice(from, start) + REPLACEMENT
    from = at + end.length
  }
  return kept + text.slice(from)
}

/** Plain, JSON-escaped, URL-encoded, in hex, base64 and base64url. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const json = jsonEscaped(secret)
  const url = encodeURIComponent(bytes.toString())
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1)
  const encoded = [url, inForm, inForm.replaceAll('+', '%20')]
  const hex = bytes.toString('hex')
  return [
    ...[secret, json, json.replaceAll('/', '\\/'), inAscii(json)],
    ...encoded,
    ...encoded.map((text) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
    ...[hex, hex.toUpperCase()],
    ...(['base64', 'base64url'] as const).flatMap((encoding) => base64Forms(bytes, encoding)),
  ]
}

// Alone, and inside a longer text at each of three offsets, without the digits that neighbours share.
function base64Forms(bytes: Buffer, encoding: 'base64' | 'base64url'): string[] {
  const inside = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString(encoding)
    return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
  })
  const alone = bytes.toString(encoding)
  return [alone, alone.replace(/=+$/, ''), ...inside]
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function inAscii(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
