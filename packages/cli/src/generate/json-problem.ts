/** What of a value JSON cannot hold without losing it, with the place where it stands, or null. */
export function jsonProblem(value: unknown, path = '', above: readonly object[] = []): string | null {
  const here = path || 'the value'
  if (typeof value !== 'object' || value === null) return scalarProblem(value, here)
  if (above.includes(value)) return `${here} is a reference to itself`
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return jsonProblem(value.toJSON(), path, [...above, value])
  }
  // A Map or a Set would become {}, so that no change of it was ever noticed.
  if (!Array.isArray(value) && !isPlain(value)) return `${here} is a ${value.constructor.name}`
  return memberProblem(value, path, [...above, value])
}

function memberProblem(value: object, path: string, above: readonly object[]): string | null {
  for (const [key, member] of Object.entries(value)) {
    // As JSON.stringify does: an optional field that is not set is left out.
    if (member === undefined && !Array.isArray(value)) continue
    const problem = jsonProblem(member, path ? `${path}.${key}` : key, above)
    if (problem) return problem
  }
  return null
}

function scalarProblem(value: unknown, here: string): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : `${here} is ${value}`
  if (value === undefined) return `${here} is undefined`
  return value === null || typeof value === 'string' || typeof value === 'boolean'
    ? null
    : `${here} is a ${typeof value}`
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
