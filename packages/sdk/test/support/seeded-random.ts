/** What random tests draw from: the same in every run, unless `SVC_TEST_SEED` names another. */
export const TEST_SEED = Number(process.env['SVC_TEST_SEED'] ?? 20_260_501)

/** Reproducible randomness: the same seed, the same values. */
export interface Random {
  /** A whole number from 0 up to `end`, which is left out. */
  int(end: number): number
  pick<Item>(items: readonly Item[]): Item
}

/** The generator “mulberry32”. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (end: number) => Math.floor(next() * end)
  return {
    int,
    pick: (items) => {
      const item = items[int(items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
  }
}
