/** Says an error where the owner gave no `onError`: a silent 503 would be looked for elsewhere. */
export function tellConsole(error: unknown): void {
  console.error(error)
}
