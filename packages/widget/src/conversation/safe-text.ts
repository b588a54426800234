// Controls, and the marks that turn the direction of what follows: they can make a text read as another one.
const UNSEEN = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** A text of others as it may be shown: without controls and direction overrides, cut to so many characters. */
export function safeText(text: string, most: number): string {
  // Cut first, so that the cost depends on what is shown and not on what was sent.
  const cut = text.length > most ? `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…` : text
  return cut.replace(/\r\n?/g, '\n').replace(UNSEEN, '')
}

/** The same in one line, without blanks around it. */
export function safeLine(text: string, most: number): string {
  return safeText(
    text
      .slice(0, most * 4)
      .replace(/\s+/g, ' ')
      .trim(),
    most,
  )
}
