/** Host and path of an address, without its user and password. */
export function placeOf(address: string): string {
  const { host, pathname } = new URL(address)
  return host + pathname
}
