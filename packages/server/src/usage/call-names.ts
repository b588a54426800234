import { Lru } from '../lib/lru.ts'
import type { NameIn } from './rollup-rules.ts'

/** The name that stands for all further ones. No capability can have it. */
export const FURTHER_CALLS = '(further capabilities)'

const NAMES_OF_RUNTIME = 200
const NAMES_KEPT = 200_000

/** Names that calls of one runtime are counted under: 200 in each hour and in each day, and one for all further ones. */
export function createCallNames(): NameIn {
  const known = new Lru<string, Set<string>>(NAMES_KEPT, (names) => names.size)
  return ({ owner_id, grain, at, runtime_id }, name) => {
    const key = `${owner_id} ${runtime_id} ${grain} ${at}`
    const names = known.get(key) ?? new Set<string>()
    if (names.has(name)) return name
    if (names.size >= NAMES_OF_RUNTIME) return FURTHER_CALLS
    known.set(key, names.add(name))
    return name
  }
}
