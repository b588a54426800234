import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { askProblem } from './ask-problem.ts'
import { ask, type Conversation, EMPTY, hear, refuse, turnsFor } from './conversation.ts'
import { createOwnerClient } from './owner-client.ts'

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
  const client = useMemo(() => createOwnerClient(runtimeId), [runtimeId])
  const underWay = useRef<AbortController | null>(null)
  const queryClient = useQueryClient()
  useEffect(() => () => underWay.current?.abort(), [])

  const send = (question: string) => {
    const controller = new AbortController()
    underWay.current = controller
    setBusy(true)
    setConversation((now) => ask(now, question))
    void run(conversation, question, controller.signal)
      .catch((error: unknown) => setConversation((now) => refuse(now, askProblem(error, controller.signal))))
      .finally(() => {
        setBusy(false)
        void queryClient.invalidateQueries({ queryKey: ['executions'] })
      })
  }

  async function run(before: Conversation, question: string, signal: AbortSignal): Promise<void> {
    const { events } = await client.stream({ messages: turnsFor(before, question), signal })
    for await (const event of events) setConversation((now) => hear(now, event))
  }

  return {
    conversation,
    isBusy,
    send,
    stop: () => underWay.current?.abort(),
    clear: () => setConversation(EMPTY),
  }
}
