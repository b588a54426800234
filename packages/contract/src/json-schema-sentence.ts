import type { OutputUnit } from '@cfworker/json-schema'
import { URL_PATTERN } from './prepare-json-schema.ts'

type Said = (value: unknown) => string

const SENTENCES = new Map<string, Said>([
  ['type', (types) => `must be ${[types].flat().map(typeInWords).join(' or ')}.`],
  ['const', (value) => `must be ${JSON.stringify(value)}.`],
  [
    'enum',
    (values) =>
      `must be one of ${[values]
        .flat()
        .map((each) => JSON.stringify(each))
        .join(', ')}.`,
  ],
  ['not', () => 'has a form that is not allowed.'],
  ['false', () => 'is not allowed.'],
  ['minimum', (limit) => `must be at least ${limit}.`],
  ['maximum', (limit) => `must be at most ${limit}.`],
  ['exclusiveMinimum', (limit) => `must be more than ${limit}.`],
  ['exclusiveMaximum', (limit) => `must be less than ${limit}.`],
  ['multipleOf', (step) => `must be a multiple of ${step}.`],
  ['minLength', (limit) => `must have at least ${counted(limit, 'character')}.`],
  ['maxLength', (limit) => `must have at most ${counted(limit, 'character')}.`],
  ['pattern', (pattern) => (pattern === URL_PATTERN ? 'must be a url.' : `must match the pattern ${pattern}.`)],
  ['format', (name) => `must be a valid ${name}.`],
  ['minItems', (limit) => `must have at least ${counted(limit, 'item')}.`],
  ['maxItems', (limit) => `must have at most ${counted(limit, 'item')}.`],
  ['uniqueItems', () => 'must not hold the same item twice.'],
  ['contains', () => 'must hold an item of the form that its schema asks for.'],
  ['minContains', (limit) => `must hold at least ${counted(limit, 'item')} of the form that its schema asks for.`],
  ['maxContains', (limit) => `must hold at most ${counted(limit, 'item')} of the form that its schema asks for.`],
  ['minProperties', (limit) => `must have at least ${counted(limit, 'field')}.`],
  ['maxProperties', (limit) => `must have at most ${counted(limit, 'field')}.`],
])

/** One fault as the end of a sentence that begins with the field’s name. The value itself is never in it. */
export function jsonSchemaSentence({ keyword, error }: OutputUnit, value: unknown): string {
  const needed = /^Instance has "(.*)" but does not have "(.*)"\.$/s.exec(error)
  if (needed) return `must have ${needed[2]} where it has ${needed[1]}.`
  return SENTENCES.get(keyword)?.(value) ?? 'does not fit its schema.'
}

const ARTICLES = new Map<unknown, string>([
  ['boolean', 'true or false'],
  ['integer', 'a whole number'],
  ['array', 'an array'],
  ['object', 'an object'],
  ['null', 'null'],
])

function typeInWords(name: unknown): string {
  return ARTICLES.get(name) ?? `a ${name}`
}

function counted(limit: unknown, unit: string): string {
  return `${limit} ${unit}${limit === 1 ? '' : 's'}`
}
