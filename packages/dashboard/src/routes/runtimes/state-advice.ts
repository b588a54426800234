import type { Schemas } from '../../api/client.ts'

type State = Pick<Schemas['RuntimeDetail'], 'connection' | 'health' | 'endpoint' | 'deployment'>

/** What a runtime’s state asks of its owner, most pressing first; null where all is well. */
export function stateAdvice(runtime: State): { kind: 'warn' | 'bad' | 'info'; text: string } | null {
  if (runtime.health === 'unreachable') {
    return {
      kind: 'bad',
      text:
        'Calls to the endpoint keep failing and are paused. Is your server up, and can it be reached from here? ' +
        'One call is let through now and then; the first that succeeds ends the pause.',
    }
  }
  if (runtime.health === 'degraded') {
    return {
      kind: 'warn',
      text: 'A fifth or more of the last calls did not get through to the endpoint. Look at its log, or at the failed executions.',
    }
  }
  if (runtime.deployment && runtime.endpoint === null) {
    return {
      kind: 'warn',
      text: 'There is no endpoint: capabilities cannot be called. Set it below, or deploy with one.',
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
