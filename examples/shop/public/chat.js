import { byId } from './element.js'

/**
 * “Ask the shop”: the chat of the control plane that the shop is connected to. It is told the customer’s session with
 * each question. Returns `ask`, by which the rest of the page asks in the customer’s name.
 */
export function startChat({ currentToken, onAnswer, onSignIn }) {
  const chat = byId('chat')
  chat.addEventListener('svc-answer', ({ detail }) => {
    notice('')
    onAnswer(detail.capabilities)
  })
  chat.addEventListener('svc-sign-in', onSignIn)
  standInCorner(chat, matchMedia('(max-width: 520px)'))
  const connected = connect(chat, currentToken)
  return {
    async ask(question) {
      if (!(await connected)) return
      const isAsked = chat.ask(question)
      notice(isAsked ? '' : 'One moment: the assistant is still answering. Then you can ask the next question.')
      chat.scrollIntoView({ block: 'nearest' })
    },
    // A call that was refused for want of a customer goes on.
    async welcome() {
      if (await connected) chat.endUserToken = currentToken
    },
    // The next person at this browser must not see the conversation of this customer.
    async forget() {
      if (await connected) chat.clear()
    },
  }
}

// A panel would stand in the way of the products on a phone.
function standInCorner(chat, phone) {
  const place = () => chat.toggleAttribute('launcher', phone.matches)
  phone.addEventListener('change', place)
  place()
}

async function connect(chat, currentToken) {
  const response = await fetch('/api/connection').catch(() => null)
  const connection = response?.ok ? await response.json() : null
  const isThere = connection !== null && (await loadWidget(connection.baseUrl))
  notice(isThere ? '' : 'The assistant is not connected yet. Everything else works.')
  chat.hidden = !isThere
  if (!isThere) return false
  chat.endUserToken = currentToken
  chat.setAttribute('base-url', connection.baseUrl)
  chat.setAttribute('public-key', connection.publicKey)
  return true
}

function notice(text) {
  byId('ask-notice').textContent = text
}

async function loadWidget(baseUrl) {
  try {
    await import(`${baseUrl}/widget.js`)
    return true
  } catch {
    return false
  }
}
