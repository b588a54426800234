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
      text: 'There is no endpoint: capabilities cannot be called, and the broker answers 404. Set it below, or deploy with one.',
    }
  }
  if (runtime.connection.status === 'offline') {
    return {
      kind: 'info',
      text: 'Nothing was heard from the runtime for five minutes. That is no fault: it counts as online again with the next call or check-in.',
    }
  }
  return null
}
