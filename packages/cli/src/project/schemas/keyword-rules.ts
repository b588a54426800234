import { isJsonObject } from '@svc/contract'

/** The end of a sentence that begins with the keyword; null where its value is as it should be. */
type Rule = (value: unknown) => string | null

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
export type Holders = {
  readonly one: readonly string[]
  readonly list: readonly string[]
  readonly map: readonly string[]
}

/** One version of JSON Schema, as far as it can be broken: what its keywords hold. */
export type Dialect = { readonly holders: Holders; readonly rules: ReadonlyMap<string, Rule> }

const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

const text: Rule = (value) => (typeof value === 'string' ? null : 'must be a text.')
const truth: Rule = (value) => (typeof value === 'boolean' ? null : 'must be true or false.')
const number: Rule = (value) => (typeof value === 'number' ? null : 'must be a number.')
const list: Rule = (value) => (Array.isArray(value) ? null : 'must be a list.')
const count: Rule = (value) =>
  Number.isInteger(value) && Number(value) >= 0 ? null : 'must be a whole number, 0 or more.'
const step: Rule = (value) => (typeof value === 'number' && value > 0 ? null : 'must be a number above 0.')
const names: Rule = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') && isWithoutRepeats(value)
    ? null
    : 'must be a list of names, each of them once.'
const namesByName: Rule = (value) =>
  isJsonObject(value) && Object.values(value).every((each) => names(each) === null)
    ? null
    : 'must hold a list of names for each field.'
const choices: Rule = (value) =>
  Array.isArray(value) && value.length > 0 ? null : 'must be a list with at least one value.'
const anchor: Rule = (value) =>
  typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value) ? null : 'must be a name of letters and digits.'
const ownAddress: Rule = (value) =>
  typeof value === 'string' && /^[^#]*#?$/.test(value) ? null : 'must be an address without “#”.'
const object: Rule = (value) => (isJsonObject(value) ? null : 'must be an object.')
const type: Rule = (value) => {
  const unknown = [value].flat().find((name) => !TYPES.some((known) => known === name))
  if (unknown !== undefined || value === undefined)
    return `is ${JSON.stringify(unknown)}: there are ${TYPES.join(', ')}.`
  return Array.isArray(value) && !(value.length > 0 && isWithoutRepeats(value)) ? 'must name each type once.' : null
}
const refused =
  (sentence: string): Rule =>
  () =>
    sentence

function isWithoutRepeats(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length
}

const COMMON: readonly (readonly [string, Rule])[] = [
  ['$id', text],
  ['$schema', text],
  ['$ref', text],
  ['$anchor', anchor],
  ['$comment', text],
  ['id', refused('is not supported: write $id for the address of a schema.')],
  ['type', type],
  ['enum', choices],
  ['multipleOf', step],
  ...['maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'].map((name) => [name, number] as const),
  ...['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'].map(
    (name) => [name, count] as const,
  ),
  ['pattern', text],
  ['uniqueItems', truth],
  ['required', names],
  ['format', text],
  ['title', text],
  ['description', text],
  ['readOnly', truth],
  ['examples', list],
  ['contentEncoding', text],
  ['contentMediaType', text],
]

const LATER: readonly (readonly [string, Rule])[] = [
  ['$id', ownAddress],
  ['$vocabulary', object],
  ['$dynamicAnchor', anchor],
  ['$recursiveAnchor', anchor],
  ['$dynamicRef', text],
  ['minContains', count],
  ['maxContains', count],
  ['dependentRequired', namesByName],
  ['deprecated', truth],
  ['writeOnly', truth],
]

const ONE = ['additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else']
const LIST = ['allOf', 'anyOf', 'oneOf']
const MAP = ['properties', 'patternProperties', 'definitions']

export const DIALECT_2020_12: Dialect = {
  holders: {
    one: [...ONE, 'items', 'unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
    list: [...LIST, 'prefixItems'],
    map: [...MAP, '$defs', 'dependentSchemas'],
  },
  rules: new Map([...COMMON, ...LATER]),
}

/** Its `items` and `dependencies` hold more than one kind of thing: see where they are read. */
export const DIALECT_DRAFT_07: Dialect = {
  holders: { one: [...ONE, 'additionalItems'], list: LIST, map: MAP },
  rules: new Map(COMMON),
}
