import { median } from '../../support/statistics.ts'

/** One of those that are asked in turn, one request at a time. */
export interface Asked {
  name: string
  /** Sends one request and resolves when its answer was read. Rejects where that is not what it should be. */
  ask(): Promise<void>
}

/** Milliseconds of each request, by name; the same index was measured within the same moment. */
export type Latencies = ReadonlyMap<string, readonly number[]>

/** Asks each in turn, so many times; who begins changes, so that nobody always follows the same one. */
export async function askInTurn(asked: readonly Asked[], turns: number): Promise<Latencies> {
  const latencies = new Map<string, number[]>(asked.map(({ name }) => [name, []]))
  for (let turn = 0; turn < turns; turn += 1) {
    for (let place = 0; place < asked.length; place += 1) {
      const one = asked[(turn + place) % asked.length]
      if (one === undefined) continue
      const startedAt = performance.now()
      await one.ask()
      latencies.get(one.name)?.push(performance.now() - startedAt)
    }
  }
  return latencies
}

/** The median of one over that of the other, milliseconds. */
export function addedAtTheMedian(latencies: Latencies, name: string, base: string): number {
  return median(latencies.get(name) ?? []) - median(latencies.get(base) ?? [])
}
