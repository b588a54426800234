import { isJsonObject } from '@svc/contract'
import { type Difference, jsonDifferences } from '../json-differences.ts'

/** The differences from what a test expects of a value: a part of it, or with `{ exact: … }` all of it. */
export function differencesFrom(expected: unknown, actual: unknown): Difference[] {
  const isExact = isJsonObject(expected) && Object.keys(expected).join() === 'exact'
  return isExact ? jsonDifferences(expected['exact'], actual) : jsonDifferences(expected, actual, { isSubset: true })
}
