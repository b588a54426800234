type Json = Readonly<Record<string, unknown>>

/** A difference of two schemas: `party.size maximum 20 → 12`. */
interface SchemaChange {
  text: string
  /** Whether what was accepted is refused now; of an output, whether what was given is missing now. */
  breaking: boolean
}

interface Walk {
  isInput: boolean
  before: Json
  after: Json
  changes: SchemaChange[]
  budget: CompareBudget
  /** The result for each pair of parts; null while it is compared. References lead to the same pair from many places. */
  seen: Map<object, Map<object, boolean | null>>
}

/** Bounds one comparison, whatever the schemas are: a step for each part, its keywords, and the items and fields in them. */
export interface CompareBudget {
  steps: number
  ids: ValueIds
}

const MAX_DEPTH = 64
const MAX_CHANGES = 200
/** Of a value in a change. */
const MAX_TEXT = 60

/** The differences between two JSON Schemas of a capability’s input or output, in the order of the newer one’s fields. */
export function compareSchemas(
  before: Json,
  after: Json,
  { direction, budget }: { direction: 'input' | 'output'; budget: CompareBudget },
): SchemaChange[] {
  // Of most, nothing has changed, not even the order of keys.
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  const isInput = direction === 'input'
  const walk: Walk = { isInput, before, after, changes: [], budget, seen: new Map() }
  compare(walk, '', before, after, 0)
  const { changes } = walk
  if (changes.length < MAX_CHANGES && budget.steps >= 0) return changes
  return [...changes.slice(0, MAX_CHANGES), { text: 'differs in more than was compared', breaking: isInput }]
}

function compare(walk: Walk, path: string, given: unknown, givenAfter: unknown, depth: number): void {
  const before = resolve(given, walk.before, walk.budget)
  const after = resolve(givenAfter, walk.after, walk.budget)
  if (before === false || after === false) {
    if (before !== after) tell(walk, path, after === false ? 'is refused' : 'is accepted', after === false)
    return
  }
  walk.budget.steps -= 1 + sizeOf(before) + sizeOf(after)
  if (walk.budget.steps < 0 || depth > MAX_DEPTH || walk.changes.length >= MAX_CHANGES) return
  const seen = walk.seen.get(before) ?? new Map<object, boolean | null>()
  walk.seen.set(before, seen)
  const known = seen.get(after)
  if (known !== undefined) {
    if (known !== null) tell(walk, path, 'differs in the same way', known)
    return
  }
  seen.set(after, null)
  const from = walk.changes.length
  compareParts(walk, path, before, after, depth)
  const own = walk.changes.slice(from)
  if (own.length > 0)
    seen.set(
      after,
      own.some(({ breaking }) => breaking),
    )
}

function compareParts(walk: Walk, path: string, before: Json, after: Json, depth: number): void {
  const alternatives = pureAlternatives(before, after)
  if (alternatives) return void compareAlternatives(walk, path, alternatives, depth)
  compareTypes(walk, path, before, after)
  compareValues(walk, path, before, after)
  compareBounds(walk, path, before, after)
  compareOthers(walk, path, before, after)
  compareFields(walk, path, before, after, depth)
  compareItems(walk, path, before, after, depth)
  compareAlternatives(walk, path, [alternativesIn(before), alternativesIn(after)], depth)
}

function sizeOf(schema: Json): number {
  return Object.values(schema).reduce<number>((sum, value) => sum + 1 + membersOf(value), 0)
}

function membersOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

function isSame({ budget: { ids } }: Walk, before: unknown, after: unknown): boolean {
  return before === after || ids.of(before) === ids.of(after)
}

function tell(walk: Walk, path: string, text: string, breaking: boolean): void {
  walk.changes.push({ text: path === '' ? text : `${path} ${text}`, breaking })
}

function compareTypes(walk: Walk, path: string, before: Json, after: Json): void {
  const [old, fresh] = [typesOf(before), typesOf(after)]
  if (isSame(walk, old, fresh)) return
  const breaking = walk.isInput ? !covers(fresh, old) : !covers(old, fresh)
  tell(walk, path, `type ${old?.join(' or ') ?? 'any'} → ${fresh?.join(' or ') ?? 'any'}`, breaking)
}

function typesOf({ type }: Json): string[] | null {
  if (type === undefined) return null
  return (Array.isArray(type) ? type.map(String) : [String(type)]).sort()
}

function covers(wide: string[] | null, narrow: string[] | null): boolean {
  if (wide === null) return true
  return narrow?.every((type) => wide.includes(type) || (type === 'integer' && wide.includes('number'))) ?? false
}

function compareValues(walk: Walk, path: string, before: Json, after: Json): void {
  const [old, fresh] = [valuesOf(before), valuesOf(after)]
  if (old === null && fresh === null) return
  if (old === null || fresh === null) {
    const text = fresh === null ? 'accepts any value' : `accepts only ${fresh.join(', ')}`
    return void tell(walk, path, shorten(text), fresh !== null && walk.isInput)
  }
  const [inOld, inFresh] = [new Set(old), new Set(fresh)]
  const lost = old.filter((value) => !inFresh.has(value))
  const gained = fresh.filter((value) => !inOld.has(value))
  if (lost.length > 0) tell(walk, path, shorten(`lost the value ${lost.join(', ')}`), walk.isInput)
  if (gained.length > 0) tell(walk, path, shorten(`gained the value ${gained.join(', ')}`), false)
}

function valuesOf(schema: Json): string[] | null {
  if ('const' in schema) return [canonical(schema['const'])]
  return Array.isArray(schema['enum']) ? schema['enum'].map(canonical) : null
}

const LEAST = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']
const MOST = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains']

function compareBounds(walk: Walk, path: string, before: Json, after: Json): void {
  for (const [keywords, sign] of [[LEAST, 1] as const, [MOST, -1] as const]) {
    for (const keyword of keywords) {
      const [old, fresh] = [before[keyword], after[keyword]]
      if (old === fresh) continue
      const isNarrower = typeof fresh === 'number' && (typeof old !== 'number' || (fresh - old) * sign > 0)
      tell(walk, path, arrow(keyword, old, fresh), walk.isInput && isNarrower)
    }
  }
}

/** Keywords that narrow what is accepted, in ways that are not weighed: their change is taken to break. */
const NARROWING = [
  ...['pattern', 'format', 'multipleOf', 'uniqueItems', 'not', 'if', 'then', 'else', 'allOf', 'contains'],
  ...['patternProperties', 'propertyNames', 'dependentRequired', 'dependentSchemas', 'dependencies'],
  ...['unevaluatedProperties', 'unevaluatedItems', 'contentEncoding', 'contentMediaType', 'contentSchema'],
]
const SEEN_ELSEWHERE = new Set([
  ...['type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items', 'prefixItems', 'anyOf'],
  ...['oneOf', '$schema', '$id', '$anchor', '$defs', 'definitions', '$comment', '$ref', ...LEAST, ...MOST],
])

function compareOthers(walk: Walk, path: string, before: Json, after: Json): void {
  for (const keyword of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (SEEN_ELSEWHERE.has(keyword)) continue
    const [old, fresh] = [before[keyword], after[keyword]]
    if (isSame(walk, old, fresh)) continue
    const narrows = NARROWING.includes(keyword) && fresh !== undefined && fresh !== false
    tell(walk, path, arrow(keyword, old, fresh), walk.isInput && narrows)
  }
}

function compareFields(walk: Walk, path: string, before: Json, after: Json, depth: number): void {
  const [old, fresh] = [fieldsOf(before), fieldsOf(after)]
  const [wasRequired, isRequired] = [namesIn(before['required']), namesIn(after['required'])]
  const isClosed = after['additionalProperties'] === false
  for (const name of new Set([...Object.keys(fresh), ...Object.keys(old), ...isRequired, ...wasRequired])) {
    const at = path === '' ? name : `${path}.${name}`
    const [was, is] = [Object.hasOwn(old, name), Object.hasOwn(fresh, name)]
    const required = isRequired.has(name)
    compareField(walk, at, { was, is, required, hasTurned: required !== wasRequired.has(name), isClosed })
    if (was && is) compare(walk, at, old[name], fresh[name], depth + 1)
  }
  compareRest(walk, path, before, after, depth)
}

interface Field {
  was: boolean
  is: boolean
  required: boolean
  /** Whether it was not required before, or is not any more. */
  hasTurned: boolean
  /** Whether other fields are refused now. */
  isClosed: boolean
}

function compareField(walk: Walk, at: string, { was, is, required, hasTurned, isClosed }: Field): void {
  const isDemanded = required && hasTurned
  if (is && !was) tell(walk, at, required ? 'added, required' : 'added', walk.isInput && isDemanded)
  else if (was && !is) tell(walk, at, 'removed', !walk.isInput || isClosed || isDemanded)
  else if (hasTurned) tell(walk, at, required ? 'is required now' : 'is optional now', required === walk.isInput)
}

function compareRest(walk: Walk, path: string, before: Json, after: Json, depth: number): void {
  const [old, fresh] = [before['additionalProperties'] ?? true, after['additionalProperties'] ?? true]
  if (isSame(walk, old, fresh)) return
  if (old === false || fresh === false) {
    tell(walk, path, fresh === false ? 'refuses other fields' : 'accepts other fields', walk.isInput && fresh === false)
    return
  }
  compare(walk, path === '' ? '*' : `${path}.*`, old, fresh, depth + 1)
}

function compareItems(walk: Walk, path: string, before: Json, after: Json, depth: number): void {
  const [old, fresh] = [listIn(before['prefixItems']), listIn(after['prefixItems'])]
  for (let index = 0; index < Math.max(old.length, fresh.length); index += 1) {
    compare(walk, `${path}[${index}]`, old[index] ?? before['items'], fresh[index] ?? after['items'], depth + 1)
  }
  if ('items' in before || 'items' in after) compare(walk, `${path}[]`, before['items'], after['items'], depth + 1)
}

type Alternatives = readonly [before: unknown[] | null, after: unknown[] | null]

function compareAlternatives(walk: Walk, path: string, [old, fresh]: Alternatives, depth: number): void {
  if (old === null && fresh === null) return
  if (old === null || fresh === null) {
    const text = fresh === null ? 'asks for none of several alternatives' : 'asks for one of several alternatives'
    return void tell(walk, path, text, walk.isInput && fresh !== null)
  }
  const { ids } = walk.budget
  const inOld = new Set(old.map((one) => meaning(one, ids)))
  const inFresh = new Set(fresh.map((one) => meaning(one, ids)))
  const lost = old.filter((one) => !inFresh.has(meaning(one, ids)))
  const gained = fresh.filter((one) => !inOld.has(meaning(one, ids)))
  if (lost.length === gained.length) {
    for (const [index, one] of lost.entries()) compare(walk, path, one, gained[index], depth + 1)
    return
  }
  if (lost.length > 0) tell(walk, path, `lost ${count(lost.length, 'alternative')}`, walk.isInput)
  if (gained.length > 0) tell(walk, path, `gained ${count(gained.length, 'alternative')}`, !walk.isInput)
}

/** Both sides as alternatives where one is nothing but alternatives, and the other perhaps one of them. */
function pureAlternatives(before: Json, after: Json): Alternatives | null {
  const [old, fresh] = [alternativesIn(before), alternativesIn(after)]
  if (old === null && fresh !== null && isPure(after)) return [[before], fresh]
  if (fresh === null && old !== null && isPure(before)) return [old, [after]]
  return null
}

function isPure(schema: Json): boolean {
  return Object.keys(schema).every((keyword) => keyword === 'anyOf' || keyword === 'oneOf' || WORDS.has(keyword))
}

function alternativesIn({ anyOf, oneOf }: Json): unknown[] | null {
  return Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : null
}

/** The schema that a value stands for, references followed; `true` is `{}`. Words beside a reference are left out. */
function resolve(given: unknown, root: Json, budget: CompareBudget): Json | false {
  let schema = given
  for (
    let hops = 0;
    hops < MAX_DEPTH && budget.steps >= 0 && isJson(schema) && typeof schema['$ref'] === 'string';
    hops += 1
  ) {
    const found = follow(schema['$ref'], root)
    budget.steps -= membersOf(schema)
    const beside = Object.entries(schema).filter(([keyword]) => keyword !== '$ref' && !WORDS.has(keyword))
    if (beside.length === 0 || found === false) schema = found
    else schema = { ...(isJson(found) ? found : {}), ...Object.fromEntries(beside) }
  }
  return isJson(schema) ? schema : schema !== false && NOTHING
}

const NOTHING: Json = {}

function follow(reference: unknown, root: Json): unknown {
  const [start, ...steps] = String(reference).split('/')
  if (start !== '#') return undefined
  return steps.reduce<unknown>((found, step) => {
    const name = nameIn(step)
    if (Array.isArray(found)) return found[Number(name)]
    return isJson(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }, root)
}

function nameIn(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return step
  }
}

function fieldsOf({ properties }: Json): Json {
  return isJson(properties) ? properties : {}
}

function namesIn(value: unknown): Set<string> {
  return new Set(listIn(value).filter((name) => typeof name === 'string'))
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

const WORDS = new Set(['title', 'description', 'examples', '$comment'])

/** The number of a schema without what only describes it, to tell which alternatives are the same. */
function meaning(schema: unknown, ids: ValueIds): number {
  if (!isJson(schema)) return ids.of(schema)
  return ids.ofEntries(Object.entries(schema).filter(([keyword]) => !WORDS.has(keyword)))
}

/** `maximum 20 → 12`; `description changed` where a value is long. */
export function arrow(name: string, before: unknown, after: unknown): string {
  const [old, fresh] = [before, after].map((value) => (isLong(value) ? undefined : textOf(value)))
  if (old === undefined || fresh === undefined || old.length > MAX_TEXT || fresh.length > MAX_TEXT)
    return `${name} changed`
  return name === 'description' ? `${name} changed` : `${name} ${old} → ${fresh}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : canonical(value)
}

// Judged before it is written: the text of a large value would take long, and be written anew at each depth.
function isLong(value: unknown, left = { characters: MAX_TEXT }): boolean {
  left.characters -= typeof value === 'string' ? value.length : 1
  if (typeof value !== 'object' || value === null) return left.characters < 0
  for (const [name, member] of Object.entries(value)) {
    left.characters -= Array.isArray(value) ? 0 : name.length
    if (left.characters < 0 || isLong(member, left)) return true
  }
  return left.characters < 0
}

/** JSON text that is the same for the same value, whatever the order of its keys; `none` where there is none. */
export function canonical(value: unknown): string {
  if (value === undefined) return 'none'
  return JSON.stringify(value, (_, member: unknown) =>
    isJson(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  )
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

/**
 * Numbers JSON values: equal ones have equal numbers, whatever the order of their keys. Each object is looked at once, so
 * that comparing the parts of a tree at every depth takes no longer than reading it.
 */
export class ValueIds {
  readonly #primitives = new Map<unknown, number>()
  readonly #composites = new Map<string, number>()
  readonly #known = new WeakMap<object, number>()
  #count = 0

  of(value: unknown): number {
    if (typeof value !== 'object' || value === null) return this.#numberIn(this.#primitives, value)
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const id = Array.isArray(value)
      ? this.#numberIn(this.#composites, `[${value.map((item) => this.of(item)).join()}]`)
      : this.ofEntries(Object.entries(value))
    this.#known.set(value, id)
    return id
  }

  /** The number of an object with these entries. */
  ofEntries(entries: readonly (readonly [string, unknown])[]): number {
    const parts = entries.map(([key, value]) => `${JSON.stringify(key)}:${this.of(value)}`)
    return this.#numberIn(this.#composites, `{${parts.sort().join()}}`)
  }

  #numberIn<Key>(numbers: Map<Key, number>, key: Key): number {
    const known = numbers.get(key)
    if (known !== undefined) return known
    this.#count += 1
    numbers.set(key, this.#count)
    return this.#count
  }
}
