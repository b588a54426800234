import { jsonDifferences } from '../json-differences.ts'
import type { Outcome, SendRead } from './send-reads.ts'
import type { StoredInput } from './stored-inputs.ts'

/** A place in the outcomes of one capability where they differ. */
export type ReplayDifference = {
  /** Such as `output.items.*.price`: positions in lists are one place. */
  readonly path: string
  /** Inputs for which the candidate differs from what serves. */
  readonly inputs: number
  /** Inputs for which what serves differs from itself. */
  readonly noise: number
  /** Of the first input with this difference. */
  readonly example: { readonly input: unknown; readonly stable: unknown; readonly candidate: unknown }
}

export type ComparedCapability = {
  readonly name: string
  readonly inputs: number
  readonly differences: readonly ReplayDifference[]
}

type Sides = { readonly stable: SendRead; readonly candidate: SendRead }

/** Sends each input to what serves, to the candidate, and to what serves again. */
export async function compare(
  inputs: readonly StoredInput[],
  { stable, candidate }: Sides,
): Promise<ComparedCapability[]> {
  const found = new Map<string, { inputs: number; places: Map<string, ReplayDifference> }>()
  for (const { capability, input } of inputs) {
    const own = found.get(capability) ?? { inputs: 0, places: new Map() }
    found.set(capability, own)
    own.inputs += 1
    const first = await stable(capability, input)
    const other = await candidate(capability, input)
    const second = await stable(capability, input)
    const noise = places(first, second)
    const differing = places(first, other)
    for (const [path, difference] of new Map([...noise, ...differing])) {
      const known = own.places.get(path) ?? { path, inputs: 0, noise: 0, example: { input, ...difference } }
      const counts = { inputs: known.inputs + count(differing, path), noise: known.noise + count(noise, path) }
      own.places.set(path, { ...known, ...counts })
    }
  }
  return [...found].map(([name, own]) => ({ name, inputs: own.inputs, differences: [...own.places.values()] }))
}

/** Whether the candidate differs where what serves never differs from itself. */
export function isBeyondNoise({ inputs, noise }: ReplayDifference): boolean {
  return inputs > 0 && noise === 0
}

function places(stable: Outcome, other: Outcome) {
  return new Map(
    jsonDifferences(stable, other).map(({ path, expected, actual }) => [
      path.replace(/(?<=^|\.)\d+(?=\.|$)/g, '*'),
      { stable: expected ?? null, candidate: actual ?? null },
    ]),
  )
}

function count(among: ReadonlyMap<string, unknown>, path: string): number {
  return among.has(path) ? 1 : 0
}
