/** `1 capability`, `2 capabilities`. */
export function countedCapabilities(count: number): string {
  return count === 1 ? '1 capability' : `${count} capabilities`
}
