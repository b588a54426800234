/** Host and path of an address, without its user and password. */
export function placeOf(address: string): string {
  const { host, pathname } = new URL(address)
  const place = host + pathname
  // A password with an unescaped “/” ends in the path.
  return place.slice(place.lastIndexOf('@') + 1)
}
