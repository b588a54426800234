import { Agent, type Dispatcher, interceptors } from 'undici'
import type { StopSignal } from '../../lib/stop-signal.ts'
import { AnswerBody } from './answer-body.ts'
import type { Answer, Outgoing, Post } from './post.ts'

// As many as fetch follows.
const MAX_REDIRECTIONS = 20

/** Over connections that are kept, without what fetch puts around an answer: its streams cost more than the rest of a turn. */
export function pooledPost(): Post {
  const agent = new Agent({ allowH2: false })
  const following = agent.compose(interceptors.redirect({ maxRedirections: MAX_REDIRECTIONS }))
  return async (url, outgoing, signal) => {
    const answer = await exchange(agent, { url, outgoing, signal })
    if (answer.status < 300 || answer.status > 399) return answer
    // What follows redirections costs every answer something, so that it is put between for those alone.
    await answer.body.return()
    return exchange(following, { url, outgoing, signal })
  }
}

interface PooledAnswer extends Answer {
  body: AnswerBody
}

interface Ask {
  url: URL
  outgoing: Outgoing
  signal: StopSignal
}

function exchange(
  agent: Pick<Dispatcher, 'dispatch'>,
  { url, outgoing: { headers, body }, signal }: Ask,
): Promise<PooledAnswer> {
  return new Promise((resolve, reject) => {
    const path = url.pathname + url.search
    agent.dispatch(
      { origin: url.origin, path, method: 'POST', headers, body },
      new Exchange(signal, { resolve, reject }),
    )
  })
}

interface Settle {
  resolve(answer: PooledAnswer): void
  reject(error: Error): void
}

/** One request and its answer as undici reports them. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #signal: StopSignal
  readonly #settle: Settle
  readonly #onStop = () => this.#stop()
  #controller: Dispatcher.DispatchController | null = null
  #body: AnswerBody | null = null

  constructor(signal: StopSignal, settle: Settle) {
    this.#signal = signal
    this.#settle = settle
    signal.addEventListener('abort', this.#onStop)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#signal.aborted) this.#stop()
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers, text?: string): void {
    if (status < 200) return
    this.#body = new AnswerBody(controller)
    this.#settle.resolve({ status, statusText: text ?? '', headers: () => joined(headers), body: this.#body })
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.append(chunk)
  }

  onResponseEnd(): void {
    this.#end(null)
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#end(error)
  }

  #stop(): void {
    const error = new Error('The answer is not wanted any more.')
    // Without a connection yet, it is kept from using the one that it will get.
    if (this.#controller) this.#controller.abort(error)
    else this.#settle.reject(error)
  }

  #end(error: Error | null): void {
    this.#signal.removeEventListener('abort', this.#onStop)
    if (this.#body) this.#body.end(error)
    else this.#settle.reject(error ?? new Error('The answer had no head.'))
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

function joined(headers: Headers): Record<string, string> {
  const lines = Object.entries(headers)
  return Object.fromEntries(
    lines.map(([name, value = '']) => [name, typeof value === 'string' ? value : value.join(', ')]),
  )
}
