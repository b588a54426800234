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
type Way = ({ fault: EndpointFault } | { flood: string }) & { told: readonly string[] }

/** Every way in which the endpoint misbehaves, and what the caller may be told of it. */
const WAYS = {
  silence: { fault: { fault: 'silence' }, told: [LATE] },
  'stalled-body': { fault: { fault: 'stalled-body' }, told: [LATE] },
  drip: { fault: { fault: 'drip', everyMs: 1_000 }, told: [LATE] },
  'half-open': { fault: { fault: 'cut', at: 'before-head', how: 'end' }, told: [BROKEN] },
  reset: { fault: { fault: 'cut', at: 'inside-head', how: 'reset' }, told: [BROKEN, UNUSABLE] },
  'reset-in-body': { fault: { fault: 'cut', at: 'inside-body', how: 'reset' }, told: [BROKEN, UNUSABLE] },
  'ten-megabytes': { fault: { fault: 'huge', bytes: 10 * MB, announced: true }, told: [LARGE] },
  'ten-megabytes-in-chunks': { fault: { fault: 'huge', bytes: 10 * MB, announced: false }, told: [LARGE] },
  endless: { fault: { fault: 'endless' }, told: [LARGE] },
  'gzip-bomb': {
    fault: compressedAnswer('gzip', 100 * MB),
    told: [unknown('The endpoint gave a compressed answer, which is not accepted')],
  },
  redirect: {
    fault: { fault: 'redirect', status: 302, location: '/target/0' },
    told: ['The endpoint answered with a redirect, which is not followed.'],
  },
  html: { fault: { fault: 'html' }, told: [UNUSABLE] },
  'deep-json': {
    fault: { fault: 'deep', levels: 100_000 },
    told: [unknown('The endpoint gave an answer that was nested too deeply')],
  },
  'too-short': { fault: { fault: 'short-body' }, told: [BROKEN] },
  'too-long': { fault: { fault: 'raw', bytes: `${HEAD}content-length: 6\r\n\r\n{"output":1}` }, told: [UNUSABLE] },
  'many-headers': { fault: { fault: 'many-headers', count: 3_000, bytesEach: 40 }, told: [UNUSABLE] },
  'no-content-with-body': {
    fault: { fault: 'raw', bytes: 'HTTP/1.1 204 No Content\r\ncontent-length: 12\r\n\r\n{"output":1}' },
    told: [unknown('The endpoint answered with status 204')],
  },
  'continue-flood': { flood: 'HTTP/1.1 100 Continue\r\n\r\n', told: [BROKEN] },
  'early-hints-flood': { flood: 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', told: [UNUSABLE] },
} as const satisfies Record<string, Way>

export const FAULTS: Readonly<Record<keyof typeof WAYS, Way>> = WAYS

export type EndpointWay = keyof typeof WAYS | 'good' | 'slow'

export function isFault(way: string): way is keyof typeof WAYS {
  return Object.hasOwn(WAYS, way)
}
