import type { FieldErrors } from './errors.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import { CapabilityName } from './names.ts'
import { isSafeUrl, RESERVED_OUTPUT_LIMITS as LIMITS } from './reserved-output.ts'
import { endpointProblem } from './web-addresses.ts'

type Fault = readonly [field: string, sentence: string]
type Read = (value: unknown, field: string) => Fault[]

/**
 * The parts of an output’s reserved key that chats would leave out or cut, by dotted path below `svc`; empty where they show all of it.
 * For development: an output with faults is still an output.
 */
export function reservedOutputFaults(svc: unknown): FieldErrors {
  const faults = new Map<string, string[]>()
  for (const [field, sentence] of members(SVC)(svc, 'svc')) faults.set(field, [...(faults.get(field) ?? []), sentence])
  return Object.fromEntries(faults)
}

interface Members {
  readonly known: Readonly<Record<string, Read>>
  readonly required?: readonly string[]
}

function members({ known, required = [] }: Members): Read {
  return (value, field) => {
    if (!isJsonObject(value)) return [[field, 'must be an object.']]
    const missing = required.filter((name) => value[name] === undefined)
    return [
      ...missing.map((name): Fault => [`${field}.${name}`, 'is required.']),
      ...Object.keys(value).flatMap((name) => memberFaults(known, value, `${field}.${name}`)),
    ]
  }
}

function memberFaults(known: Members['known'], value: JsonObject, field: string): Fault[] {
  const name = field.slice(field.lastIndexOf('.') + 1)
  if (value[name] === undefined) return []
  const read = Object.hasOwn(known, name) ? known[name] : undefined
  return read
    ? read(value[name], field)
    : [[field, `is not shown by chats: they know ${Object.keys(known).join(', ')}.`]]
}

const text =
  (most: number, isCut = true): Read =>
  (value, field) => {
    if (typeof value !== 'string') return [[field, 'must be a text: other values are left out.']]
    if (value.trim() === '') return [[field, 'must not be empty.']]
    return value.length > most
      ? [[field, `has more than ${most} characters: it is ${isCut ? 'cut' : 'left out'}.`]]
      : []
  }

const address: Read = (value, field) =>
  typeof value === 'string' && (isSafeUrl(value) || isOfThisMachine(value))
    ? []
    : [[field, `must be an absolute https: address of at most ${LIMITS.urlCharacters} characters.`]]

// A page that is served from this machine may link to itself.
function isOfThisMachine(value: string): boolean {
  return value.length <= LIMITS.urlCharacters && value.startsWith('http:') && endpointProblem(value) === null
}

const oneOf =
  (...names: readonly string[]): Read =>
  (value, field) =>
    names.includes(String(value)) ? [] : [[field, `must be ${names.join(' or ')}.`]]

const list =
  (most: number, read: Read): Read =>
  (value, field) => {
    if (!Array.isArray(value)) return [[field, 'must be an array.']]
    const surplus: Fault[] =
      value.length > most ? [[field, `has more than ${most} entries: the others are left out.`]] : []
    return [...surplus, ...value.slice(0, most).flatMap((entry, index) => read(entry, `${field}.${index}`))]
  }

const milliseconds =
  ({ least, most }: { least: number; most: number }): Read =>
  (value, field) =>
    typeof value === 'number' && value >= least && value <= most
      ? []
      : [[field, `must be a number of milliseconds from ${least} to ${most}.`]]

const flag: Read = (value, field) => (typeof value === 'boolean' ? [] : [[field, 'must be true or false.']])

const capabilityName: Read = (value, field) =>
  CapabilityName.safeParse(value).success ? [] : [[field, 'must be the name of a capability.']]

const pendingInput: Read = (value, field) => {
  if (!isJsonObject(value)) return [[field, 'must be an object.']]
  const { length } = JSON.stringify(value)
  const most = LIMITS.pendingInputCharacters
  return length > most ? [[field, `has more than ${most} characters of JSON: the wait is left out.`]] : []
}

const BUTTON = { label: text(LIMITS.labelCharacters), description: text(LIMITS.descriptionCharacters) }
const LINK = members({
  known: { type: judged, ...BUTTON, url: address, style: oneOf('primary') },
  required: ['label', 'url'],
})
const REPLY = members({
  known: { type: judged, ...BUTTON, value: text(LIMITS.replyCharacters, false) },
  required: ['label'],
})
const IMAGE = members({ known: { url: address, alt: alternative }, required: ['url'] })
const CARD = members({
  known: {
    type: oneOf('product'),
    title: text(LIMITS.titleCharacters),
    price: text(LIMITS.priceCharacters),
    description: text(LIMITS.descriptionCharacters),
    image: IMAGE,
    url: address,
    actions: list(LIMITS.cardActions, action),
  },
  required: ['type', 'title'],
})
const PENDING = members({
  known: {
    capability: capabilityName,
    label: text(LIMITS.labelCharacters),
    input: pendingInput,
    intervalMs: milliseconds(LIMITS.intervalMs),
    timeoutMs: milliseconds(LIMITS.timeoutMs),
  },
  required: ['capability'],
})
const SVC = {
  known: { settled: flag, actions: list(LIMITS.actions, action), cards: list(LIMITS.cards, CARD), pending: PENDING },
}

// The form was chosen by it.
function judged(): Fault[] {
  return []
}

// A picture that only adorns has an empty one.
function alternative(value: unknown, field: string): Fault[] {
  return value === '' ? [] : text(LIMITS.altCharacters)(value, field)
}

function action(value: unknown, field: string): Fault[] {
  const type = isJsonObject(value) ? value['type'] : undefined
  if (type === 'link') return LINK(value, field)
  return type === 'reply' ? REPLY(value, field) : [[`${field}.type`, 'must be link or reply.']]
}
