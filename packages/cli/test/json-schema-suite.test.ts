import { readdirSync, readFileSync } from 'node:fs'
import { type JsonObject, jsonSchemaCheck } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { compileDeployed } from '../../server/src/schemas/compile.ts'
import { verdicts } from './support/verdicts.ts'

// The official suite, required part: test/data/json-schema-test-suite has its licence and where it is from.
const SUITE = new URL('../../../test/data/json-schema-test-suite/', import.meta.url)
const Groups = z.array(
  z.object({
    description: z.string(),
    schema: z.union([z.boolean(), z.record(z.string(), z.unknown())]),
    tests: z.array(z.object({ description: z.string(), data: z.unknown(), valid: z.boolean() })),
  }),
)

interface Case {
  readonly place: string
  readonly schema: JsonObject
  readonly tests: z.infer<typeof Groups>[number]['tests']
}

function casesOf(draft: string, $schema: string): Case[] {
  return readdirSync(new URL(`${draft}/`, SUITE)).flatMap((file) => {
    // As text and not as an import: a member named __proto__ has to stay one.
    const groups = Groups.parse(JSON.parse(readFileSync(new URL(`${draft}/${file}`, SUITE), 'utf8')))
    return groups.map(({ description, schema, tests }) => ({
      place: `${file} › ${description}`,
      schema: typeof schema === 'boolean' ? { $schema, allOf: [schema] } : { $schema, ...schema },
      tests,
    }))
  })
}

/** Why groups are refused at deploy. What leads out of a schema is never fetched. */
const REFUSALS: readonly (readonly [reason: string, said: RegExp])[] = [
  ['leads out of the schema', /\$ref that leads/],
  ['an unknown $schema', /\$schema that is not supported/],
  ['an empty enum', /enum must/],
  ['a field named __proto__', /__proto__/],
  ['a NUL character', /NUL character/],
]

function reasonOf(faults: Record<string, readonly string[]>): string | null {
  const [sentence] = Object.values(faults).flat()
  if (sentence === undefined) return null
  return REFUSALS.find(([, said]) => said.test(sentence))?.[0] ?? sentence
}

/** How many tests of a draft come out how; “wrong” are the formats. */
const COUNTS = {
  'draft2020-12': {
    service: {
      right: 1_214,
      wrong: 15,
      'leads out of the schema': 48,
      'an unknown $schema': 5,
      'an empty enum': 6,
      'a field named __proto__': 7,
      'a NUL character': 4,
    },
    sdk: {
      right: 1_231,
      wrong: 15,
      'leads out of the schema': 48,
      'an unknown $schema': 5,
    },
  },
  draft7: {
    service: {
      right: 889,
      'leads out of the schema': 27,
      'a field named __proto__': 7,
      'a NUL character': 4,
    },
    sdk: { right: 900, 'leads out of the schema': 27 },
  },
}

type Judge = (schema: JsonObject) => ((value: unknown) => boolean) | string

/** By the way of a deployment; a text is why it was refused. */
const service: Judge = (schema) => {
  const refused = reasonOf(verdicts(schema).tool)
  if (refused !== null) return refused
  const check = compileDeployed(schema)
  return (value) => check(value, 'input') === null
}

const sdk: Judge = (schema) => {
  try {
    const check = jsonSchemaCheck(schema)
    return (value) => Object.keys(check(value)).length === 0
  } catch (error) {
    return reasonOf({ '': [String(error)] }) ?? ''
  }
}

/** How every test came out: right, or refused for a reason, by number; what is wrong, by name. */
function outcomesOf(judge: Judge, cases: readonly Case[]) {
  const outcomes = cases.flatMap(({ place, schema, tests }) => {
    const check = judge(schema)
    return tests.map(({ description, data, valid }) => {
      if (typeof check === 'string') return { outcome: check, wrong: [] }
      if (check(data) === valid) return { outcome: 'right', wrong: [] }
      return { outcome: 'wrong', wrong: [`${valid ? 'rejects' : 'accepts'}: ${place} › ${description}`] }
    })
  })
  const counts: Record<string, number> = {}
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return { counts, wrong: outcomes.flatMap(({ wrong }) => wrong) }
}

const DRAFTS = [
  ['draft2020-12', 'https://json-schema.org/draft/2020-12/schema'],
  ['draft7', 'http://json-schema.org/draft-07/schema#'],
] as const
// Formats are asserted here, as the documentation says; by default the suite takes them for notes.
const ASSERTED = /^rejects: format\.json › .* is only an annotation by default$/

describe.each(DRAFTS)('the official suite, %s', (draft, $schema) => {
  const cases = casesOf(draft, $schema)

  // holds CAP-10
  test('what a dry run passes the service passes, and the reverse', () => {
    const disagreeing = cases.filter(({ schema }) => {
      const { server, tool } = verdicts(schema)
      return (server === null) !== (Object.keys(tool).length === 0)
    })
    expect(disagreeing.map(({ place }) => place)).toEqual([])
  })

  // holds CAP-10
  test.each([
    ['the service', service],
    ['the SDK', sdk],
  ])('%s accepts nothing that is invalid, and is wrong of asserted formats alone', (_who, judge) => {
    expect(outcomesOf(judge, cases).wrong.filter((each) => !ASSERTED.test(each))).toEqual([])
  })

  test('what is refused is refused for a reason of the list, and the rest is right', () => {
    expect({ service: outcomesOf(service, cases).counts, sdk: outcomesOf(sdk, cases).counts }).toEqual(COUNTS[draft])
  })
})
