import { Lru } from '../lib/lru.ts'
import type { NameIn } from './rollup-rules.ts'

/** Counts all further capabilities. No capability can have this name. */
export const FURTHER_CALLS = '(further capabilities)'

const MAX_NAMES_PER_RUNTIME = 200
const MAX_NAMES = 200_000

/** Bounds the capability names of a runtime in each hour and day; further ones share one name. */
export function createCallNames(): NameIn {
  const known = new Lru<string, Set<string>>(MAX_NAMES, (names) => names.size)
  return ({ owner_id, grain, at, runtime_id }, name) => {
    const key = `${owner_id} ${runtime_id} ${grain} ${at}`
    const names = known.get(key) ?? new Set<string>()
    if (names.has(name)) return name
    if (names.size >= MAX_NAMES_PER_RUNTIME) return FURTHER_CALLS
    known.set(key, names.add(name))
    return name
  }
}
