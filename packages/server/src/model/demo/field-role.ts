export type FieldType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'unknown'

/** What kind of value a field takes, and so where in a sentence to look for it. */
export type Role =
  | 'option'
  | 'flag'
  | 'email'
  | 'date'
  | 'time'
  | 'moment'
  | 'country'
  | 'code'
  | 'max'
  | 'min'
  | 'page-size'
  | 'count'
  | 'money'
  | 'number'
  | 'query'
  | 'prose'
  | 'person'
  | 'place'
  | 'entity'
  | 'object'

interface Traits {
  words: readonly string[]
  description: string
  type: FieldType
  format: string
  hasOptions: boolean
}

export function roleOf(traits: Traits): Role {
  const { type, hasOptions } = traits
  if (hasOptions) return 'option'
  if (type === 'boolean') return 'flag'
  if (type === 'object') return 'object'
  return type === 'number' || type === 'integer' ? numericRole(traits) : textRole(traits)
}

function numericRole({ words, type }: Traits): Role {
  const has = (names: string) => words.some((word) => listOf(names).includes(word))
  if (has('max maximum highest under below upto')) return 'max'
  if (has('min minimum lowest above')) return 'min'
  if (has('limit top size page')) return 'page-size'
  if (has('id number no code ref reference')) return 'code'
  if (
    has('quantity qty count amount pieces guests people persons seats nights days hours tickets adults copies') &&
    type === 'integer'
  ) {
    return 'count'
  }
  if (has('quantity qty count pieces guests people seats nights')) return 'count'
  return has('price total amount budget value subtotal cost sum worth') ? 'money' : 'number'
}

const TEXT_ROLES: readonly (readonly [Role, string])[] = [
  ['email', 'email mail'],
  ['country', 'country'],
  ['date', 'date day'],
  ['time', 'time'],
  ['query', 'query q search keyword keywords term terms text question phrase'],
  ['code', 'id number no code sku ref reference uuid slug key'],
  [
    'prose',
    'title subject summary description body message comment note notes reason details content feedback symptoms',
  ],
  ['person', 'doctor person assignee user owner attendee guest recipient patient member staff author who'],
  ['place', 'city place location address destination origin town region'],
]

const FORMATS: Readonly<Record<string, Role>> = {
  email: 'email',
  date: 'date',
  time: 'time',
  'date-time': 'moment',
  uuid: 'code',
}

// Of the roles that the words of a name stand for, the one of the last word: an `orderDate` is a date.
function textRole({ words, format }: Traits): Role {
  if (Object.hasOwn(FORMATS, format)) return FORMATS[format] ?? 'entity'
  for (const word of words.toReversed()) {
    const found = TEXT_ROLES.find(([, names]) => listOf(names).includes(word))
    if (found !== undefined) return found[0]
  }
  return 'entity'
}

function listOf(names: string): string[] {
  return names.split(' ')
}
