import { compressedAnswer, type EndpointFault } from '@svc/testkit'

const MB = 1024 * 1024
/** The sentences are the service's promise. All but one are of calls that may have had an effect. */
const unknown = (sentence: string) => `${sentence}: whether the call had an effect is unknown.`
const LATE = unknown('The endpoint did not answer in time')
const BROKEN = unknown('The connection broke off before the endpoint had answered')
const UNUSABLE = unknown('The endpoint gave an answer that could not be used')
const LARGE = unknown('The endpoint gave an answer that was too large')
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

/** `flood` is written again and again, as fast as it is read. */
type Behaviour = ({ fault: EndpointFault } | { flood: string }) & { messages: readonly string[] }

/** Every kind of misbehaviour of the endpoint, and the error messages that the caller may get. */
const BEHAVIOURS = {
  silence: { fault: { fault: 'silence' }, messages: [LATE] },
  'stalled-body': { fault: { fault: 'stalled-body' }, messages: [LATE] },
  drip: { fault: { fault: 'drip', everyMs: 1_000 }, messages: [LATE] },
  'half-open': { fault: { fault: 'cut', at: 'before-head', how: 'end' }, messages: [BROKEN] },
  reset: { fault: { fault: 'cut', at: 'inside-head', how: 'reset' }, messages: [BROKEN, UNUSABLE] },
  'reset-in-body': { fault: { fault: 'cut', at: 'inside-body', how: 'reset' }, messages: [BROKEN, UNUSABLE] },
  'ten-megabytes': { fault: { fault: 'huge', bytes: 10 * MB, announced: true }, messages: [LARGE] },
  'ten-megabytes-in-chunks': { fault: { fault: 'huge', bytes: 10 * MB, announced: false }, messages: [LARGE] },
  endless: { fault: { fault: 'endless' }, messages: [LARGE] },
  'gzip-bomb': {
    fault: compressedAnswer('gzip', 100 * MB),
    messages: [unknown('The endpoint gave a compressed answer, which is not accepted')],
  },
  redirect: {
    fault: { fault: 'redirect', status: 302, location: '/target/0' },
    messages: ['The endpoint answered with a redirect, which is not followed.'],
  },
  html: { fault: { fault: 'html' }, messages: [UNUSABLE] },
  'deep-json': {
    fault: { fault: 'deep', levels: 100_000 },
    messages: [unknown('The endpoint gave an answer that was nested too deeply')],
  },
  'too-short': { fault: { fault: 'short-body' }, messages: [BROKEN] },
  'too-long': { fault: { fault: 'raw', bytes: `${HEAD}content-length: 6\r\n\r\n{"output":1}` }, messages: [UNUSABLE] },
  'many-headers': { fault: { fault: 'many-headers', count: 3_000, bytesEach: 40 }, messages: [UNUSABLE] },
  'no-content-with-body': {
    fault: { fault: 'raw', bytes: 'HTTP/1.1 204 No Content\r\ncontent-length: 12\r\n\r\n{"output":1}' },
    messages: [unknown('The endpoint answered with status 204')],
  },
  'continue-flood': { flood: 'HTTP/1.1 100 Continue\r\n\r\n', messages: [BROKEN] },
  'early-hints-flood': { flood: 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', messages: [UNUSABLE] },
} as const satisfies Record<string, Behaviour>

export const FAULTS: Readonly<Record<keyof typeof BEHAVIOURS, Behaviour>> = BEHAVIOURS

export type EndpointBehaviour = keyof typeof BEHAVIOURS | 'good' | 'slow'

export function isFault(behaviour: string): behaviour is keyof typeof BEHAVIOURS {
  return Object.hasOwn(BEHAVIOURS, behaviour)
}
