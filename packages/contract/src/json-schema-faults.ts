import type { OutputUnit, Schema } from '@cfworker/json-schema'
import type { FieldErrors } from './errors.ts'
import { isJsonObject } from './json.ts'
import { jsonSchemaSentence } from './json-schema-sentence.ts'

const MAX_FAULTS = 10

interface Checked {
  readonly schema: Schema
  readonly lookup: Readonly<Record<string, Schema | boolean>>
  /** What a fault of the whole value is called. */
  readonly root: string
}

/** What a validator found, in words, by dotted path: the faults themselves, not the schemas around them. */
export function jsonSchemaFaults(errors: readonly OutputUnit[], checked: Checked): FieldErrors {
  const sentences = new Map<string, Set<string>>()
  let count = 0
  for (const { path, sentence } of faultsOf(errors, checked)) {
    const field = path.join('.') || checked.root
    const known = sentences.get(field) ?? new Set()
    if (!known.has(sentence)) count += 1
    sentences.set(field, known.add(sentence))
    if (count === MAX_FAULTS) break
  }
  return Object.fromEntries(Array.from(sentences, ([field, known]) => [field, [...known]]))
}

interface Fault {
  readonly path: readonly string[]
  readonly sentence: string
}

// The validator lists an error of a schema around others before those: “properties”, then what is wrong with a property.
function* faultsOf(errors: readonly OutputUnit[], checked: Checked): Generator<Fault> {
  let index = 0
  while (index < errors.length) {
    const error = errors[index]
    if (!error) return
    const end = endOfNested(errors, index)
    yield* faultsOfOne(error, errors.slice(index + 1, end), checked)
    index = end
  }
}

function endOfNested(errors: readonly OutputUnit[], start: number): number {
  const around = `${errors[start]?.keywordLocation}/`
  let end = start + 1
  for (let each = errors[end]; each && (each.keyword === 'false' || isBelow(each, around)); each = errors[end]) end += 1
  return end
}

function isBelow(error: OutputUnit, around: string): boolean {
  return error.keywordLocation.startsWith(around)
}

function* faultsOfOne(error: OutputUnit, nested: readonly OutputUnit[], checked: Checked): Generator<Fault> {
  const { keyword } = error
  const path = pathOf(error.instanceLocation)
  const [first] = nested
  // What it leads to is told beside it, under “then” or “else”.
  if (keyword === 'if') return
  if (keyword === 'required') return yield { path: [...path, missingName(error)], sentence: 'is required.' }
  if (keyword === 'anyOf' || keyword === 'oneOf') return yield* faultsOfChoice(error, nested, checked)
  if (keyword === 'propertyNames' && first) {
    return yield { path: pathOf(first.instanceLocation), sentence: 'is not a name that is allowed here.' }
  }
  if (keyword !== 'contains' && first?.keyword === 'false') {
    const sentence = /items$/i.test(keyword) ? 'is one item too many.' : 'is not a known field.'
    return yield { path: pathOf(first.instanceLocation), sentence }
  }
  if (keyword !== 'contains' && nested.length > 0) return yield* faultsOf(nested, checked)
  yield { path, sentence: jsonSchemaSentence(error, keywordValue(error.keywordLocation, checked)) }
}

function missingName(error: OutputUnit): string {
  return /required property "(.*)"\.$/s.exec(error.error)?.[1] ?? ''
}

function* faultsOfChoice(error: OutputUnit, nested: readonly OutputUnit[], checked: Checked): Generator<Fault> {
  const path = pathOf(error.instanceLocation)
  if (error.keyword === 'oneOf' && !error.error.includes('(0 matches)')) {
    return yield { path, sentence: 'fits more than one of the forms of which it must fit exactly one.' }
  }
  const options = optionsOf(error, nested)
  const merged = mergedSentence(options, checked)
  if (merged) return yield merged
  // What has the wrong type, or another tag, was not meant.
  const rightType = options.filter((option) => !option.some((each) => isAt(each, error) && each.keyword === 'type'))
  const rightTag = rightType.filter(
    (option) => !option.some(({ keyword }) => keyword === 'const' || keyword === 'enum'),
  )
  const [meant, ...others] = rightTag.length > 0 ? rightTag : rightType
  if (meant && others.length === 0) return yield* faultsOf(meant, checked)
  const tag = mergedSentence(
    rightType.map((option) => option.filter(({ keyword }) => keyword === 'const')),
    checked,
  )
  yield tag ?? { path, sentence: 'fits none of the forms that are allowed here.' }
}

function optionsOf(error: OutputUnit, nested: readonly OutputUnit[]): OutputUnit[][] {
  const options = new Map<string, OutputUnit[]>()
  let current = ''
  for (const each of nested) {
    if (each.keyword !== 'false')
      current = each.keywordLocation
        .slice(error.keywordLocation.length + 1)
        .split('/', 1)
        .join()
    const option = options.get(current)
    if (option) option.push(each)
    else options.set(current, [each])
  }
  return [...options.values()]
}

// Options that each have one and the same kind of fault at one place are one list of what may stand there.
function mergedSentence(options: readonly OutputUnit[][], checked: Checked): Fault | null {
  const only = options.flatMap((option) => (option.length === 1 ? option : []))
  const [first] = only
  if (!first || only.length < options.length) return null
  if (first.keyword !== 'type' && first.keyword !== 'const') return null
  if (!only.every((each) => each.keyword === first.keyword && isAt(each, first))) return null
  const values = only.map((each) => keywordValue(each.keywordLocation, checked))
  const kind = first.keyword === 'const' ? 'enum' : 'type'
  return {
    path: pathOf(first.instanceLocation),
    sentence: jsonSchemaSentence({ ...first, keyword: kind }, [...new Set(values.flat())]),
  }
}

function isAt(error: OutputUnit, other: OutputUnit): boolean {
  return error.instanceLocation === other.instanceLocation
}

/** What the schema says at a place that the validator names; references on the way to it are followed. */
function keywordValue(location: string, { schema, lookup }: Checked): unknown {
  let place: unknown = schema
  for (const step of pathOf(location)) {
    const members: unknown = place
    if (typeof members !== 'object' || members === null) return undefined
    const next: unknown = Object.getOwnPropertyDescriptor(members, step)?.value
    const isReference = step === '$ref' && typeof next === 'string' && isJsonObject(members)
    place = isReference ? lookup[String(Reflect.get(members, '__absolute_ref__') ?? next)] : next
  }
  return place
}

function pathOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}
