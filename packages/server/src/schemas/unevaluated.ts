import type { AnySchema, AnySchemaObject, FuncKeywordDefinition } from 'ajv'
import { compileSchema, SchemaEnv, type SchemaObjCxt } from 'ajv/dist/compile/index.js'

/** Replaces Ajv's own keywords, which miss what `contains` and an `if` without a `then` evaluate. */
export const unevaluatedKeywords = [keyword('Items', 'array'), keyword('Properties', 'object')]

function keyword(members: 'Items' | 'Properties', type: 'array' | 'object'): FuncKeywordDefinition {
  const name = `unevaluated${members}`
  return {
    keyword: name,
    type,
    schemaType: ['boolean', 'object'],
    error: { message: `must NOT have unevaluated ${members.toLowerCase()}` },
    compile(schema: AnySchema, { [name]: _, ...beside }, context) {
      const { fits, evaluatedBy } = createEvaluator(context)
      return (value: object) => {
        const evaluated = new Set(evaluatedBy(beside, value))
        return Object.entries(value).every(([each, member]) => evaluated.has(each) || fits(schema, member))
      }
    },
  }
}

function createEvaluator({ self, schemaEnv: { root } }: SchemaObjCxt) {
  const compiled = new Map<unknown, SchemaEnv>()

  function fits(schema: AnySchema, value: unknown, key: unknown = schema): boolean {
    const known = compiled.get(key) ?? compileSchema.call(self, new SchemaEnv({ schema, root, baseId: root.baseId }))
    compiled.set(key, known)
    return known.validate?.(value) === true
  }

  function evaluatesItself(schema: AnySchemaObject, name: string, value: object): boolean {
    const { prefixItems = [], contains = false, properties = {}, patternProperties = {} } = schema
    if (Array.isArray(value)) return name in prefixItems || fits(contains, value[Number(name)])
    const isMatched = (pattern: string) => fits({ pattern }, name, pattern)
    return Object.hasOwn(properties, name) || Object.keys(patternProperties).some(isMatched)
  }

  function schemasInPlace(schema: AnySchemaObject, value: object): AnySchema[] {
    const { allOf = [], anyOf = [], oneOf = [], dependentSchemas = {}, $ref = '' } = schema
    const { if: condition = false, then = true, else: otherwise = true } = schema
    const chosen = [...anyOf, ...oneOf].filter((each) => fits(each, value))
    const dependent = Object.keys(dependentSchemas).filter((name) => Object.hasOwn(value, name))
    const branch = fits(condition, value) ? [condition, then] : 'if' in schema && [otherwise]
    const target = Object(root.schema).$defs?.[$ref.replace('#/$defs/', '')] ?? true
    return [...allOf, ...chosen, ...dependent.map((name) => dependentSchemas[name]), ...(branch || []), target]
  }

  /** The names or indices of a valid value that a schema evaluates, with the schemas that apply in its place. */
  function evaluatedBy(schema: AnySchema, value: object): string[] {
    if (typeof schema === 'boolean') return []
    const names = Object.keys(value)
    const rest = Array.isArray(value)
      ? ['items', 'unevaluatedItems']
      : ['additionalProperties', 'unevaluatedProperties']
    if (rest.some((each) => each in schema)) return names
    const below = schemasInPlace(schema, value).flatMap((each) => evaluatedBy(each, value))
    return [...names.filter((name) => evaluatesItself(schema, name, value)), ...below]
  }

  return { fits, evaluatedBy }
}
