/** The parts of a schema that decide whether each of the two validators judges it rightly. */
interface Findings {
  dynamicRef: boolean
  refBesideId: boolean
  idBelowRoot: boolean
  anchors: string[]
  unevaluated: boolean
  unevaluatedItems: boolean
  contains: boolean
  itemsInChoice: boolean
  ifWithoutThen: boolean
}

const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'])
const VALUES = new Set(['const', 'enum', 'default', 'example', 'examples', 'required', 'dependentRequired', 'type'])
// They apply to the same value as the schema around them, and only under a condition.
const CHOICES = new Set(['anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'])

/**
 * Why the SDK’s validator would judge by a valid JSON Schema wrongly, as the end of a sentence; null where it does not. Within
 * one schema resource a `$dynamicRef` is a `$ref`.
 */
export function unsupportedProblem(schema: object, isDraft07: boolean): string | null {
  const found = findingsOf(schema)
  if (isDraft07) return found.refBesideId ? REF_BESIDE_ID : repeatedAnchor(found)
  return found.dynamicRef && found.idBelowRoot ? DYNAMIC_REF : repeatedAnchor(found)
}

/**
 * The same of the service, whose validator is another one: what either gets wrong is refused when it is deployed, with the
 * reason, so that no value passes that should not.
 */
export function undeployableProblem(schema: object, isDraft07: boolean): string | null {
  const found = findingsOf(schema)
  if (found.dynamicRef && !isDraft07) return DYNAMIC_REF
  if (found.refBesideId) return REF_BESIDE_ID
  const problem = repeatedAnchor(found)
  if (problem !== null || isDraft07) return problem
  if (found.unevaluated && found.ifWithoutThen) {
    return 'has unevaluatedProperties or unevaluatedItems and an “if” without a “then”, which are not supported together: write it with anyOf.'
  }
  if (!found.unevaluatedItems || !(found.contains || found.itemsInChoice)) return null
  return 'has unevaluatedItems and contains, or items in a choice, which are not supported together: write items: false.'
}

const DYNAMIC_REF = 'has a $dynamicRef, which is not supported: write a $ref to what it means.'
const REF_BESIDE_ID =
  'has a $ref beside an $id below its root, which is not supported: leave the $id out, or put the $ref into allOf.'

function repeatedAnchor({ anchors }: Findings): string | null {
  const repeated = anchors.find((name, at) => anchors.indexOf(name) < at)
  return repeated === undefined
    ? null
    : `has the anchor ${JSON.stringify(repeated)} twice, which is not supported: rename one.`
}

function findingsOf(schema: object): Findings {
  const found: Findings = {
    ...{ dynamicRef: false, refBesideId: false, idBelowRoot: false, anchors: [], unevaluated: false },
    ...{ unevaluatedItems: false, contains: false, itemsInChoice: false, ifWithoutThen: false },
  }
  look(schema, found, { isRoot: true, isChoice: false })
  return found
}

interface Place {
  readonly isRoot: boolean
  readonly isChoice: boolean
}

function look(schema: unknown, found: Findings, { isRoot, isChoice }: Place): void {
  if (Array.isArray(schema)) {
    for (const each of schema) look(each, found, { isRoot: false, isChoice })
    return
  }
  if (typeof schema !== 'object' || schema === null) return
  const keywords = new Map<string, unknown>(Object.entries(schema))
  note(keywords, found, { isRoot, isChoice })
  for (const [keyword, value] of keywords) {
    if (VALUES.has(keyword)) continue
    const inside = { isRoot: false, isChoice: CHOICES.has(keyword) || (isChoice && keyword === 'allOf') }
    const below = MAPS.has(keyword) && typeof value === 'object' && value !== null ? Object.values(value) : [value]
    for (const each of below) look(each, found, inside)
  }
}

function note(keywords: ReadonlyMap<string, unknown>, found: Findings, { isRoot, isChoice }: Place): void {
  const has = (keyword: string) => keywords.has(keyword)
  found.dynamicRef ||= has('$dynamicRef')
  found.idBelowRoot ||= !isRoot && has('$id')
  found.refBesideId ||= !isRoot && has('$ref') && has('$id')
  for (const keyword of ['$anchor', '$dynamicAnchor']) {
    const name = keywords.get(keyword)
    if (typeof name === 'string') found.anchors.push(name)
  }
  const saysSo = (keyword: string) => has(keyword) && keywords.get(keyword) !== true
  found.unevaluatedItems ||= saysSo('unevaluatedItems')
  found.unevaluated ||= saysSo('unevaluatedItems') || saysSo('unevaluatedProperties')
  found.contains ||= has('contains')
  found.itemsInChoice ||= isChoice && has('items')
  found.ifWithoutThen ||= has('if') && isEmpty(keywords.get('then'))
}

function isEmpty(then: unknown): boolean {
  return then === undefined || then === true || JSON.stringify(then) === '{}'
}

const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ...([
    ['Letter', 'L'],
    ['Uppercase_Letter', 'Lu'],
    ['Lowercase_Letter', 'Ll'],
    ['Titlecase_Letter', 'Lt'],
  ] as const),
  ...([
    ['Modifier_Letter', 'Lm'],
    ['Other_Letter', 'Lo'],
    ['Mark', 'M'],
    ['Nonspacing_Mark', 'Mn'],
  ] as const),
  ...([
    ['Number', 'N'],
    ['Decimal_Number', 'Nd'],
    ['Letter_Number', 'Nl'],
    ['Other_Number', 'No'],
  ] as const),
  ...([
    ['Punctuation', 'P'],
    ['Symbol', 'S'],
    ['Currency_Symbol', 'Sc'],
    ['Math_Symbol', 'Sm'],
  ] as const),
  ...([
    ['Separator', 'Z'],
    ['Space_Separator', 'Zs'],
    ['Control', 'Cc'],
    ['Other', 'C'],
  ] as const),
])

/** How a pattern’s long name of a Unicode category is written for the engine of linear time; null where it has none. */
export function categoryAdvice(pattern: string): string | null {
  const [, name = ''] = /\\[pP]\{(?:General_Category=|gc=)?([A-Za-z_]+)\}/.exec(pattern) ?? []
  const short = CATEGORIES.get(name)
  return short === undefined ? null : `Write \\p{${short}} in place of \\p{${name}}.`
}
