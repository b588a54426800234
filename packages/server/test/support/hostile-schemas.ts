import type { JsonObject } from '@svc/contract'

/** Draws from one seed. */
interface Random {
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly [T, ...T[]]): T
}

/** `url` is a listener that notes every fetch. */
type Family = (random: Random, url: string) => JsonObject

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

const PATTERNS = nonEmpty(String.raw`^(a|a)*$
^(a+)+$
^(a*)*b$
(x+x+)+y
^(\w+\s?)*$
^([a-z]+)*\d$
(a|aa)+$
^(.*?,){20}P
^(([a-z])+.)+[A-Z]([a-z])+$
(.*)*(.*)*(.*)*=
^(?=a)
(a)\1
(?<!a)b
(?:a{1,1000}){1,1000}
a{1000}{1000}
(((a{30}){30}){30})
[
(?<n>a)\k<n>
\p{L}{1,999}`)

export const FAMILIES: Readonly<Record<string, Family>> = {
  'regular expression': (random) => object({ text: { type: 'string', pattern: random.pick(PATTERNS) } }),
  'regular expression of names': (random) => ({ type: 'object', patternProperties: { [random.pick(PATTERNS)]: {} } }),
  'many regular expressions': (random) =>
    object(fields(random.int(200, 900), (at) => ({ pattern: `^(a${at}|b)*c{1,${random.int(10, 900)}}$` }))),
  'circle of references': (random) => circle(random.int(1, 40)),
  'circle further inside': () => ({ ...object({ text: ref('a') }), $defs: { a: { allOf: [ref('a')] } } }),
  'references that double': (random) => doubling(random.pick(['allOf', 'anyOf', 'oneOf']), random.int(10, 60)),
  'recursion that doubles by depth': (random) => doublingByDepth(random.int(2, 5)),
  'dynamic references': () => ({
    ...object({ text: {}, children: { type: 'array', items: { $dynamicRef: '#node' } } }),
    $dynamicAnchor: 'node',
    anyOf: [{ $dynamicRef: '#node' }, { $dynamicRef: '#node' }],
  }),
  'huge repetitions': (random) =>
    object({
      text: { type: 'string', minLength: 2 ** 53, maxLength: 1e308, pattern: `a{${random.int(900, 99_999)}}` },
    }),
  'reference to a server': (random, url) => object({ text: { $ref: `${url}/${random.pick(['s.json', '', '#/a'])}` } }),
  'dialect on a server': (_random, url) => ({ $schema: `${url}/dialect`, type: 'object' }),
  'name on a server': (_random, url) => ({ $id: `${url}/self`, ...object({ text: { $ref: 'other.json' } }) }),
  'reference to a file': (random) =>
    object({ text: { $ref: random.pick(['file:///etc/passwd', '/etc/passwd', '../../package.json', 'data:,{}']) } }),
  $data: () => object({ a: { type: 'number' }, b: { type: 'number', minimum: { $data: '1/a' } } }),
  prototype: (random) => prototypeSchema(random.pick(['__proto__', 'constructor', 'prototype', 'toString'])),
  'code in a name': (random) => object({ [random.pick(CODE)]: { type: 'string', enum: [random.pick(CODE)] } }),
  'code in a keyword': (random) => ({ type: 'object', required: [random.pick(CODE)], description: random.pick(CODE) }),
  'unique items': () => object({ list: { type: 'array', uniqueItems: true } }),
  'contains and counts': (random) =>
    object({
      list: { type: 'array', contains: { pattern: '^(a+)+$' }, minContains: random.int(0, 1e9), maxContains: 1e15 },
    }),
  deep: (random) => deep(random.int(14, 31)),
  wide: (random) => object(fields(random.int(500, 1_500), (at) => ({ type: 'integer', multipleOf: at + 1 }))),
  'wide choice': (random) => ({
    type: 'object',
    [random.pick(['anyOf', 'oneOf', 'allOf'])]: choices(random.int(200, 900)),
  }),
  'large enumeration': (random) =>
    object({ text: { enum: Array.from({ length: random.int(3_000, 9_000) }, (_, at) => at) } }),
  'choices in choices': (random) => nestedChoices(random.int(4, 7)),
  'dependencies of everything': (random) => dependencies(random.int(50, 150)),
  'not of not': (random) => notOfNot(random.int(10, 28)),
  'unevaluated everywhere': (random) => ({
    type: 'object',
    allOf: choices(random.int(50, 200)),
    unevaluatedProperties: false,
  }),
  'of a megabyte': (random) => ({ type: 'object', description: 'x'.repeat(random.pick([60_000, 900_000])) }),
  'wrong in every place': (random) =>
    object(fields(random.int(100, 800), () => ({ type: 'objekt', minLength: -1, enum: 7 }))),
  asynchronous: () => ({ $async: true, type: 'object' }),
}

const CODE = nonEmpty(`"+process.exit(1)+"
'];process.exit(1);//
#{process.exit(1)}
\\u0022;process.exit(1)//
\u2028process.exit(1)
\`+process.exit(1)+\`
*/process.exit(1)/*
__proto__`)

/** mulberry32: 32 bits of state. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (list) => list[int(0, list.length - 1)] ?? list[0],
  }
}

/** A schema of the family, in either dialect. */
export function drawSchema(draw: Family, random: Random, url: string): JsonObject {
  const schema = draw(random, url)
  return random.chance(0.2) && !('$schema' in schema) ? { $schema: DRAFT_07, ...schema } : schema
}

function object(properties: JsonObject): JsonObject {
  return { type: 'object', properties }
}

function ref(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` }
}

function fields(count: number, of: (at: number) => JsonObject): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, of(at)]))
}

function choices(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, at) => object({ [`f${at}`]: { type: 'string', maxLength: at } }))
}

function circle(length: number): JsonObject {
  const definitions = Array.from({ length }, (_, at) => [`d${at}`, ref(`d${(at + 1) % length}`)])
  return { type: 'object', ...ref('d0'), $defs: Object.fromEntries(definitions) }
}

function doubling(keyword: string, levels: number): JsonObject {
  const definitions = Array.from({ length: levels }, (_, at) => [
    `d${at}`,
    at + 1 === levels ? { type: 'object' } : { [keyword]: [ref(`d${at + 1}`), ref(`d${at + 1}`)] },
  ])
  return { type: 'object', ...ref('d0'), $defs: Object.fromEntries(definitions) }
}

function doublingByDepth(branches: number): JsonObject {
  const branch = { type: 'object', properties: { x: ref('node') }, required: ['y'] }
  const node = { anyOf: Array.from({ length: branches }, () => branch) }
  return { type: 'object', ...ref('node'), $defs: { node } }
}

// Not a literal: only so does “__proto__” become a key.
function prototypeSchema(name: string): JsonObject {
  const named = Object.fromEntries([[name, { type: 'object', properties: { polluted: { default: true } } }]])
  return {
    type: 'object',
    properties: named,
    required: [name],
    dependentRequired: Object.fromEntries([[name, [name]]]),
  }
}

function deep(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string' }
  for (let level = 1; level < levels; level += 2) schema = { type: 'object', properties: { a: schema } }
  return { ...schema, type: 'object' }
}

function nestedChoices(levels: number): JsonObject {
  let schema: JsonObject = { type: 'string' }
  for (let level = 0; level < levels; level += 1) schema = { anyOf: [schema, schema, object({ x: schema })] }
  return { type: 'object', ...schema }
}

function notOfNot(levels: number): JsonObject {
  let schema: JsonObject = { type: 'object' }
  for (let level = 0; level < levels; level += 1) schema = { not: schema }
  return { type: 'object', ...schema }
}

function dependencies(count: number): JsonObject {
  const names = Array.from({ length: count }, (_, at) => `f${at}`)
  return { type: 'object', dependentRequired: Object.fromEntries(names.map((name) => [name, names])) }
}

function nonEmpty(lines: string): [string, ...string[]] {
  const [first = '', ...rest] = lines.split('\n')
  return [first, ...rest]
}

const INPUTS: Readonly<Record<string, (random: Random) => JsonObject>> = {
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
