import type { Random } from '../../support/random.ts'

/** Draws owners, 0 the most frequent: the frequency of the n-th is 1 / (n + 1) to this power; all alike where it is 0. */
export function createOwnerDraw(
  random: Random,
  { owners, exponent }: { owners: number; exponent: number },
): () => number {
  if (exponent === 0) return () => random.int(0, owners - 1)
  const sums = new Float64Array(owners)
  let sum = 0
  for (let owner = 0; owner < owners; owner += 1) {
    sum += 1 / (owner + 1) ** exponent
    sums[owner] = sum
  }
  return () => firstAbove(sums, random.next() * sum)
}

function firstAbove(sums: Float64Array, value: number): number {
  let [low, high] = [0, sums.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sums[middle] ?? 0) > value) high = middle
    else low = middle + 1
  }
  return low
}
