/** A property of a value that somebody else made; undefined where there is none, or where reading it throws. */
export function readProperty(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    const property: unknown = Reflect.get(value, name)
    return property
  } catch {
    return undefined
  }
}
