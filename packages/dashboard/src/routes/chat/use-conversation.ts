import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api, bodyOf } from '../../api/client.ts'
import { ask, type Conversation, EMPTY, hear, refuse, turnsFor } from './conversation.ts'
import { readEvents } from './event-stream.ts'

interface Talk {
  conversation: Conversation
  isBusy: boolean
  send: (question: string) => void
  stop: () => void
  clear: () => void
}

/** A talk with a runtime through the owner’s own door. It lives as long as the screen. */
export function useConversation(runtimeId: string): Talk {
  const [conversation, setConversation] = useState<Conversation>(EMPTY)
  const [isBusy, setBusy] = useState(false)
  const underWay = useRef<AbortController | null>(null)
  const queryClient = useQueryClient()
  useEffect(() => () => underWay.current?.abort(), [])

  const send = (question: string) => {
    const controller = new AbortController()
    underWay.current = controller
    setBusy(true)
    setConversation((now) => ask(now, question))
    void run(conversation, question, controller.signal)
      .catch((error: unknown) => setConversation((now) => refuse(now, sentenceOf(error, controller.signal))))
      .finally(() => {
        setBusy(false)
        void queryClient.invalidateQueries({ queryKey: ['executions'] })
      })
  }

  async function run(before: Conversation, question: string, signal: AbortSignal): Promise<void> {
    const stream = await bodyOf(
      api.POST('/v1/executions', {
        body: { runtimeId, messages: turnsFor(before, question) },
        headers: { accept: 'text/event-stream' },
        parseAs: 'stream',
        signal,
      }),
    )
    if (!stream) throw new ApiError({ code: 'unreadable', message: 'The answer was empty.' })
    for await (const event of readEvents(stream)) setConversation((now) => hear(now, event))
  }

  return {
    conversation,
    isBusy,
    send,
    stop: () => underWay.current?.abort(),
    clear: () => setConversation(EMPTY),
  }
}

function sentenceOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'You stopped it.'
  if (!(error instanceof ApiError)) return 'The connection broke off before the answer was complete.'
  const wait = error.retryAfterSeconds
  return wait === null ? error.message : `${error.message} Try again in ${wait} s.`
}
