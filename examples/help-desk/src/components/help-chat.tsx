'use client'

import '@svc/widget/element'
import type { SvcChatElement } from '@svc/widget/element'
import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'svc-chat': { ref: { current: SvcChatElement | null }; [attribute: string]: unknown }
    }
  }
}

/** The control plane’s chat as a React component. What it changes is on the page when its answer has ended. */
export function HelpChat({ baseUrl, publicKey }: { baseUrl: string; publicKey: string }) {
  const element = useRef<SvcChatElement>(null)
  const router = useRouter()
  useEffect(() => {
    const chat = element.current
    if (!chat) return
    // Properties are set here: on a server the element is text, which has attributes alone.
    chat.endUserToken = fetchToken
    chat.suggestions = SUGGESTIONS
    const refresh = () => router.refresh()
    chat.addEventListener('svc-answer', refresh)
    return () => chat.removeEventListener('svc-answer', refresh)
  }, [router])
  return (
    <svc-chat
      ref={element}
      base-url={baseUrl}
      public-key={publicKey}
      heading="Help"
      greeting="Ask how to do something. Signed in, you can open a ticket and ask about it."
      placeholder="How do I reset my password?"
    />
  )
}

const SUGGESTIONS = [
  'How do I reset my password?',
  'What is the status of ticket T-1001?',
  'Open a ticket about “the projector in room 4 is dark”',
]

async function fetchToken(): Promise<string | null> {
  const response = await fetch('/api/chat-token', { method: 'POST' })
  if (!response.ok) throw new Error(`/api/chat-token answered ${response.status}`)
  const { token }: { token: string | null } = await response.json()
  return token
}
