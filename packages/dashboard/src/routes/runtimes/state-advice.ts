import type { Schemas } from '../../api/client.ts'

type State = Pick<Schemas['RuntimeDetail'], 'connection' | 'health' | 'healthNote' | 'endpoint' | 'deployment'>

/** What a runtime’s state asks of its owner, most pressing first; null where all is well. */
export function stateAdvice(runtime: State): { kind: 'warn' | 'bad' | 'info'; text: string } | null {
  if (runtime.healthNote !== null) {
    const kind = runtime.health === 'unreachable' ? 'bad' : 'warn'
    return { kind, text: `${runtime.healthNote} A change shows here within a minute.` }
  }
  if (runtime.deployment && runtime.endpoint === null) {
    return {
      kind: 'warn',
      text: 'The runtime has no endpoint, so capabilities cannot be called and the broker answers 404. Set it under “Settings”, or deploy with one.',
    }
  }
  if (runtime.connection.status === 'offline') {
    return {
      kind: 'info',
      text: 'No call and no check-in for five minutes. This is not a fault: the next call brings the runtime online again.',
    }
  }
  return null
}
