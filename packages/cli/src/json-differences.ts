import { isJsonObject } from '@svc/contract'

/** Where two JSON values differ; `undefined` stands for what is not there. */
export type Difference = { readonly path: string; readonly expected: unknown; readonly actual: unknown }

type Options = {
  /** True: the actual value may have fields that are not expected. Lists are compared whole. */
  readonly isSubset?: boolean
}

/** The differences by path, such as `items.0.price`; the root is the empty path. */
export function jsonDifferences(expected: unknown, actual: unknown, options: Options = {}, path = ''): Difference[] {
  const below = (key: string | number) => (path === '' ? String(key) : `${path}.${key}`)
  if (isJsonObject(expected) && isJsonObject(actual)) {
    const extra = options.isSubset ? [] : Object.keys(actual).filter((key) => !Object.hasOwn(expected, key))
    return [...Object.keys(expected), ...extra].flatMap((key) =>
      jsonDifferences(own(expected, key), own(actual, key), options, below(key)),
    )
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length)
    return Array.from({ length }).flatMap((_, at) => jsonDifferences(expected[at], actual[at], options, below(at)))
  }
  return expected === actual ? [] : [{ path, expected, actual }]
}

/** One line for each difference. */
export function differenceLines(differences: readonly Difference[]): string[] {
  return differences.map(
    ({ path, expected, actual }) => `${path || 'it'}: expected ${shown(expected)}, was ${shown(actual)}`,
  )
}

const MAX_SHOWN = 300

/** A value on one line. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}
