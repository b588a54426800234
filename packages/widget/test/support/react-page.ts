import { type Conversation, createConversation, createExecutionClient } from '@svc/widget'
import { useConversation } from '@svc/widget/react'
import { createElement, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'

// A page of React’s own that uses the store without the element.

function newConversation(): Conversation {
  const client = createExecutionClient({ baseUrl: location.origin, publicKey: 'svc_pk_test' })
  return createConversation({ client, pageOrigin: location.origin })
}

function Count({ conversation }: { conversation: Conversation }) {
  const { turns } = useConversation(conversation)
  return createElement('output', null, `${turns.length} turns`)
}

function Chat() {
  const [conversation] = useState(newConversation)
  const [isCounted, setCounted] = useState(true)
  const { turns, isBusy } = useConversation(conversation)
  const lines = turns.map((turn) => {
    const text =
      turn.role === 'user' ? turn.text : turn.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
    return createElement('li', { key: turn.id }, text)
  })
  const ask = createElement(
    'button',
    { type: 'button', disabled: isBusy, onClick: () => conversation.send('Hi') },
    'Ask',
  )
  const count = isCounted && createElement(Count, { conversation })
  const hide = createElement('button', { type: 'button', onClick: () => setCounted(false) }, 'Hide the count')
  return createElement('main', null, createElement('ul', null, lines), count, ask, hide)
}

const place = document.body.appendChild(document.createElement('div'))
createRoot(place).render(createElement(StrictMode, null, createElement(Chat)))
