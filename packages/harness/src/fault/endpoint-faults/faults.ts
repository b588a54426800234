/** What a caller is told of an endpoint; the sentences are the service's promise. */
const TOLD = {
  late: 'The endpoint did not answer in time.',
  broken: 'The connection broke off before the endpoint had answered.',
  unusable: 'The endpoint gave an answer that could not be used.',
  large: 'The endpoint gave an answer that was too large.',
  deep: 'The endpoint gave an answer that was nested too deeply.',
  encoded: 'The endpoint gave a compressed answer, which is not accepted.',
  redirect: 'The endpoint answered with a redirect, which is not followed.',
  noContent: 'The endpoint answered with status 204.',
} as const

/** Every way in which the endpoint misbehaves, and what may be told of it. */
export const ENDPOINT_FAULTS = {
  silence: [TOLD.late],
  hung: [TOLD.late],
  drip: [TOLD.late],
  'half-open': [TOLD.broken],
  reset: [TOLD.broken, TOLD.unusable],
  'ten-megabytes': [TOLD.large],
  'ten-megabytes-in-chunks': [TOLD.large],
  endless: [TOLD.large],
  'gzip-bomb': [TOLD.encoded],
  redirect: [TOLD.redirect],
  html: [TOLD.unusable],
  'deep-json': [TOLD.deep],
  'too-short': [TOLD.broken],
  'too-long': [TOLD.unusable],
  'many-headers': [TOLD.unusable],
  'no-content-with-body': [TOLD.noContent],
  'continue-flood': [TOLD.broken],
  'early-hints-flood': [TOLD.unusable],
} as const satisfies Record<string, readonly string[]>

export type EndpointFault = keyof typeof ENDPOINT_FAULTS

/** What a well-behaved endpoint does in the rounds that the others are compared with. */
export const GOOD_WAYS = ['good', 'slow'] as const

export type EndpointWay = EndpointFault | (typeof GOOD_WAYS)[number]

export function isFault(way: string): way is EndpointFault {
  return Object.hasOwn(ENDPOINT_FAULTS, way)
}
