import type { Schemas } from '../../api/client.ts'

export type EventType = Schemas['Webhook']['events'][number]

/** Each type of event, with what it tells of. */
export const EVENT_TYPES: Readonly<Record<EventType, string>> = {
  'deployment.promoted': 'A deployment became the stable one.',
  'deployment.frozen': 'A candidate failed too often and gets no more traffic.',
  'endpoint.unreachable': 'An endpoint cannot be reached.',
  'endpoint.recovered': 'The endpoint answers again.',
  'call.unknown': 'Nobody can say yet whether a call took effect.',
  'quota.threshold': '50, 80 or 100 % of a quota are used.',
  'key.revealed': 'A key was shown in full.',
  'key.rotated': 'A key or a signing secret was replaced.',
}

export const ALL_EVENT_TYPES = Object.keys(EVENT_TYPES).filter((type): type is EventType => type in EVENT_TYPES)
