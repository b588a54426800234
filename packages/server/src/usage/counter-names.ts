import { Lru } from '../lib/lru.ts'
import type { CounterName } from './rollup-rules.ts'

/** The name under which all further capabilities are counted. No capability can have it. */
export const FURTHER_CAPABILITIES = '(further capabilities)'

const MAX_NAMES_PER_RUNTIME = 200
const MAX_NAMES = 200_000

/** Limits the capability names that the counters of a runtime have for each hour and day; further ones share one name. */
export function createCounterNames(): CounterName {
  const known = new Lru<string, Set<string>>(MAX_NAMES, (names) => names.size)
  return ({ owner_id, grain, at, runtime_id }, name) => {
    const key = `${owner_id} ${runtime_id} ${grain} ${at}`
    const names = known.get(key) ?? new Set<string>()
    if (names.has(name)) return name
    if (names.size >= MAX_NAMES_PER_RUNTIME) return FURTHER_CAPABILITIES
    known.set(key, names.add(name))
    return name
  }
}
