import type { JsonObject } from '@svc/contract'
import type { Random } from '../../support/random.ts'

type Draw = (random: Random) => JsonObject

const INPUTS: Readonly<Record<string, Draw>> = {
  nothing: () => ({}),
  'a long text that almost fits': (random) => ({ text: `${'a'.repeat(random.int(1_000, 400_000))}!`, f0: 'c' }),
  'long texts of every kind': (random) => {
    const text = random.pick(['x', 'ab', ',P', 'a1 ', '='])
    return { text: text.repeat(100_000), list: [text.repeat(50_000)] }
  },
  'a nested object that fails inside': () => ({ y: 1, x: nested(14), text: nested(13), children: [nested(12)] }),
  'a long list of objects': (random) => ({
    list: Array.from({ length: random.int(1_000, 9_000) }, (_, at) => ({ at: at % 8_999 })),
  }),
  'a long list of numbers': () => ({ list: Array.from({ length: 40_000 }, (_, at) => at) }),
  'many fields': (random) =>
    Object.fromEntries(Array.from({ length: random.int(500, 10_000) }, (_, at) => [`f${at}`, `a${at}`])),
  'names of a prototype': () => ({ constructor: { prototype: { polluted: true } }, toString: 1, hasOwnProperty: 1 }),
}

/** Inputs that are hard for one schema or another. */
export function drawInputs(random: Random): JsonObject[] {
  return Object.values(INPUTS).map((draw) => draw(random))
}

function nested(levels: number): JsonObject {
  return levels === 0 ? {} : { y: 1, x: nested(levels - 1) }
}
