type Schema = Readonly<Record<string, unknown>>

/** An example of what a schema of an OpenAPI document describes, composed of those of its parts. */
export function composeExample(schema: unknown, components: Readonly<Record<string, unknown>>): unknown {
  const {
    $ref,
    examples,
    const: only,
    enum: choices,
    anyOf,
    oneOf,
    properties,
    items,
    ...rest
  }: Schema = Object(schema)
  const compose = (part: unknown) => composeExample(part, components)
  for (const values of [examples, choices]) if (Array.isArray(values)) return values[0]
  if (only !== undefined) return only
  if (typeof $ref === 'string') return compose(components[$ref.slice($ref.lastIndexOf('/') + 1)])
  for (const alternatives of [anyOf, oneOf]) if (Array.isArray(alternatives)) return compose(alternatives[0])
  if (properties) {
    return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, compose(property)]))
  }
  if (items) return [compose(items)]
  const { type, maximum = LARGE } = rest
  const [first = 'null'] = [type].flat()
  return { string: 'text', integer: Math.min(LARGE, Number(maximum)), number: 1, boolean: false, object: {} }[
    String(first)
  ]
}

// Where a number bounds something, a small one would keep examples from working.
const LARGE = 100_000
