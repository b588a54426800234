import type { ExecutionClient } from '../client/execution-client.ts'
import { isRecord } from '../client/read-json.ts'
import type { Visibility } from '../client/visibility.ts'
import { type Exchange, restarted } from './exchange.ts'
import { turnsWithout } from './refused-calls.ts'

/** The capabilities that an end user wants to sign in for. */
export interface SignInRequest {
  readonly capabilities: readonly string[]
}

interface SignInDeps {
  client: Partial<Pick<ExecutionClient, 'hasEndUser'>>
  visibility: Visibility
  /** Keeps in this tab that somebody has gone to sign in. */
  keep(text: string): void
  last(): Exchange | undefined
  isBusy(): boolean
  replace(exchange: Exchange): void
  /** Asks an exchange anew. */
  goOn(exchange: Exchange): void
}

/** The sign-in of a conversation: asked for by its end user, and gone on from once there is a token. */
export interface SignIns {
  readonly onAsked: (listener: (request: SignInRequest) => void) => () => void
  ask(): void
  /** Goes on, once, where it was asked for and the page gives a token. */
  check(): Promise<boolean>
  resume(): void
  suspend(): void
}

export function createSignIns(deps: SignInDeps): SignIns {
  const listeners = new Set<(request: SignInRequest) => void>()
  let leave: (() => void) | null = null

  function asked(): Exchange | null {
    const last = deps.last()
    return last && !deps.isBusy() && canGoOn(last) && last.answer.signIn?.state === 'asked' ? last : null
  }

  async function check(): Promise<boolean> {
    const before = asked()
    if (!before || !(await deps.client.hasEndUser?.())) return false
    // Meanwhile something else may have been said, or another check have gone on.
    const now = asked()
    if (now?.answer.id !== before.answer.id) return false
    deps.goOn(withoutRefused(now))
    return true
  }

  return {
    check,
    onAsked(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    ask() {
      const last = deps.last()
      if (!last?.answer.signIn || deps.isBusy() || !canGoOn(last)) return
      const { id, signIn } = last.answer
      deps.replace({ ...last, answer: { ...last.answer, signIn: { ...signIn, state: 'asked' } } })
      deps.keep(JSON.stringify({ signInOf: id }))
      void check().then((isGoingOn) => {
        if (!isGoingOn) for (const listener of [...listeners]) listener({ capabilities: signIn.capabilities })
      })
    },
    resume() {
      leave ??= deps.visibility.onVisible(() => void check())
      void check()
    },
    suspend() {
      leave?.()
      leave = null
    },
  }
}

/** The exchange, if the end user of this tab had gone to sign in for it. */
export function returned(exchange: Exchange, stored: string | null): Exchange {
  const { signIn, id } = exchange.answer
  if (!signIn || idIn(stored) !== id) return exchange
  return { ...exchange, answer: { ...exchange.answer, signIn: { ...signIn, state: 'asked' } } }
}

// An approval that is open would be lost with its answer.
function canGoOn({ answer }: Exchange): boolean {
  return answer.state === 'completed' && answer.signIn !== null && answer.approvals.length === 0
}

// Calls that gave a result stay, with it, so that the model does not ask for them again. The refused ones have not run.
function withoutRefused(exchange: Exchange): Exchange {
  const refused = new Set(exchange.answer.signIn?.callIds)
  const blocks = exchange.answer.blocks.filter(({ id }) => !refused.has(id))
  const received = turnsWithout(exchange.received, refused)
  return restarted({ ...exchange, received, answer: { ...exchange.answer, blocks } })
}

function idIn(stored: string | null): unknown {
  try {
    const value: unknown = JSON.parse(stored ?? 'null')
    return isRecord(value) ? value['signInOf'] : null
  } catch {
    return null
  }
}
