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
