import { isJsonObject } from '@svc/contract'

const SHORTEST = 8

/**
 * The text without an end user’s token: whole, without the scheme before it (`Bearer x`), and as a URL writes either. A
 * shorter one than eight characters would turn up inside ordinary words.
 */
export function withoutToken(text: string, token: string | null): string {
  if (token === null) return text
  return [token, ...token.split(' ')]
    .flatMap((form) => [form, new URLSearchParams([['', form]]).toString().slice(1)])
    .filter((form) => form.length >= SHORTEST)
    .reduce((left, form) => left.replaceAll(form, '[end-user token]'), text)
}

/** A JSON value without it: before the value is written or cut, since escaped, folded and cut forms are no longer found. */
export function withoutTokenIn<T>(value: T, token: string | null): T {
  return hidden(value, token) as T
}

function hidden(value: unknown, token: string | null): unknown {
  if (token === null) return value
  if (Array.isArray(value)) return value.map((each) => hidden(each, token))
  if (isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [withoutToken(key, token), hidden(each, token)]),
    )
  }
  if (typeof value !== 'string' && typeof value !== 'number') return value
  const text = withoutToken(String(value), token)
  return text === String(value) ? value : text
}
