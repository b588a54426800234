const SHORTEST = 4

/** The text without an end user’s token. A shorter one than four characters would turn up inside ordinary words. */
export function withoutToken(text: string, token: string | null): string {
  return token === null || token.length < SHORTEST ? text : text.replaceAll(token, '[end-user token]')
}
