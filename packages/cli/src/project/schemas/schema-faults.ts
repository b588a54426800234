import { isJsonObject, type JsonObject, jsonSchemaCheck } from '@svc/contract'
import { isDraft07, resolveReferences } from '@svc/contract/resolve-references'
import { messageOf } from '../../thrown.ts'
import { DIALECT_2020_12, DIALECT_DRAFT_07, type Dialect } from './keyword-rules.ts'
import { patternProblem } from './pattern-problem.ts'

/** A place in a schema, dotted and empty for its root, and the end of a sentence about it. */
export type SchemaFault = readonly [place: string, problem: string]

const LATEST = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/

/**
 * What a control plane would refuse a schema for: keywords that hold what they cannot, patterns that do not run in linear
 * time, references that lead out of the schema or back without end. It must be plain JSON of bounded depth.
 */
export function schemaFaults(schema: JsonObject): SchemaFault[] {
  const named = schema['$schema'] ?? 'https://json-schema.org/draft/2020-12/schema'
  const isEarlier = isDraft07(schema)
  if (typeof named !== 'string' || !(isEarlier || LATEST.test(named))) {
    return [['', `names a $schema that is not supported (${JSON.stringify(named)}): use 2020-12 or draft-07.`]]
  }
  if (schema['$async'] !== undefined) return [['', 'must not use $async.']]
  const faults = faultsOf(schema, [], isEarlier ? DIALECT_DRAFT_07 : DIALECT_2020_12)
  const problem = faults.length === 0 ? referenceProblem(schema) : null
  return problem === null ? faults : [['', problem]]
}

function faultsOf(schema: unknown, path: readonly string[], dialect: Dialect): SchemaFault[] {
  if (typeof schema === 'boolean') return []
  const place = path.join('.')
  if (!isJsonObject(schema)) return [[place, 'must be a schema: an object, true or false.']]
  const own = Object.entries(schema).flatMap(([keyword, value]): SchemaFault[] => {
    const problem = dialect.rules.get(keyword)?.(value) ?? null
    return problem === null ? [] : [[place, `is not valid JSON Schema: ${keyword} ${problem}`]]
  })
  return [
    ...own,
    ...nullableFaults(schema, place),
    ...patternFaults(schema, place),
    ...Object.entries(schema).flatMap(([keyword, value]) => faultsBelow(keyword, value, [...path, keyword], dialect)),
  ]
}

function faultsBelow(keyword: string, value: unknown, path: readonly string[], dialect: Dialect): SchemaFault[] {
  const { one, list, map } = dialect.holders
  const isDraft07 = dialect === DIALECT_DRAFT_07
  if (one.includes(keyword)) return faultsOf(value, path, dialect)
  if (list.includes(keyword) || (isDraft07 && keyword === 'items' && Array.isArray(value))) {
    if (!Array.isArray(value) || value.length === 0) return [[path.join('.'), 'must be a list of one schema or more.']]
    return value.flatMap((each, index) => faultsOf(each, [...path, String(index)], dialect))
  }
  if (isDraft07 && keyword === 'items') return faultsOf(value, path, dialect)
  if (map.includes(keyword)) return faultsByName(value, path, (each, below) => faultsOf(each, below, dialect))
  if (keyword !== 'dependencies') return []
  return faultsByName(value, path, (each, below) =>
    Array.isArray(each) ? listedNames(each, below, dialect) : faultsOf(each, below, dialect),
  )
}

function faultsByName(
  value: unknown,
  path: readonly string[],
  judge: (each: unknown, below: readonly string[]) => SchemaFault[],
): SchemaFault[] {
  if (!isJsonObject(value)) return [[path.join('.'), 'must be an object of schemas by name.']]
  return Object.entries(value).flatMap(([name, each]) => judge(each, [...path, name]))
}

function listedNames(value: readonly unknown[], path: readonly string[], { rules }: Dialect): SchemaFault[] {
  const problem = rules.get('required')?.(value) ?? null
  return problem === null ? [] : [[path.join('.'), problem]]
}

// A keyword of OpenAPI that the control plane knows and holds to what it says.
function nullableFaults({ nullable, type }: JsonObject, place: string): SchemaFault[] {
  if (nullable === undefined) return []
  if (typeof nullable !== 'boolean') return [[place, 'is not valid JSON Schema: nullable must be true or false.']]
  if (type === undefined) return [[place, 'has “nullable” and no type: write the type, or type: [“…”, “null”].']]
  const isContrary = !nullable && [type].flat().includes('null')
  return isContrary ? [[place, 'has the type null and “nullable: false”: leave one of the two out.']] : []
}

function patternFaults({ pattern, patternProperties, format }: JsonObject, place: string): SchemaFault[] {
  const names = isJsonObject(patternProperties) ? Object.keys(patternProperties) : []
  const problems = [
    typeof pattern === 'string' ? patternProblem(pattern, format) : null,
    ...names.map((name) => patternProblem(name)),
  ]
  return problems.flatMap((problem) => (problem === null ? [] : [[place, problem] as const]))
}

// Patterns were judged by the engine that runs them there, which takes some that this machine’s does not.
function referenceProblem(schema: JsonObject): string | null {
  try {
    jsonSchemaCheck(withoutPatterns(resolveReferences(schema)))
    return null
  } catch (error) {
    return messageOf(error).replace(/^The schema /, '')
  }
}

function withoutPatterns(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema)
    .filter(([keyword, value]) => keyword !== 'pattern' || typeof value !== 'string')
    .map(
      ([keyword, value]) => [keyword === 'patternProperties' ? 'x-by-pattern' : keyword, valueWithout(value)] as const,
    )
  return Object.fromEntries(entries)
}

function valueWithout(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(valueWithout)
  return isJsonObject(value) ? withoutPatterns(value) : value
}
