/** Offers a text to the end user as a file, from memory: nothing is sent. */
export function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const anchor = document.createElement('a')
  anchor.href = url
  anchor.download = name
  anchor.click()
  // Some browsers read the address only after the click.
  setTimeout(() => URL.revokeObjectURL(url), 40_000)
}
