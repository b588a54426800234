import { byId } from './element.js'
import { execute } from './execute.js'
import { startTurn } from './turn.js'

const MOST_MESSAGES = 60

/** The “Ask the shop” box. Returns `ask`, by which the rest of the page asks a question in the customer’s name. */
export function startAsking({ currentToken }) {
  let history = []
  let running = null

  async function ask(question) {
    const text = question.trim()
    if (running || !text) return
    const stop = new AbortController()
    running = stop
    setBusy(true)
    try {
      await answer(text, stop.signal)
    } finally {
      running = null
      setBusy(false)
    }
  }

  async function answer(text, signal) {
    const connection = await connectionOrNotice()
    if (!connection) return
    const turn = startTurn(byId('conversation'), text)
    const messages = [...recent(history), { role: 'user', parts: [{ type: 'text', content: text }] }]
    try {
      for await (const event of execute(connection, { messages, endUserToken: currentToken(), signal })) {
        turn.show(event)
        // Only whole turns are remembered: a broken one would be refused with the next question.
        if (event.type === 'done' && event.status === 'completed') history = [...messages, ...event.messages]
      }
    } catch (error) {
      turn.fail(signal.aborted ? 'Stopped.' : error.message)
    }
  }

  // What was said in a customer's name is not for whoever sits there next.
  function forget() {
    running?.abort()
    history = []
    byId('conversation').replaceChildren()
  }

  listen({ ask, stop: () => running?.abort() })
  void connectionOrNotice()
  return { ask, forget }
}

function listen({ ask, stop }) {
  const question = byId('question')
  byId('ask-form').addEventListener('submit', (event) => {
    event.preventDefault()
    ask(question.value)
    question.value = ''
  })
  question.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    byId('ask-form').requestSubmit()
  })
  byId('suggestions').addEventListener('click', (event) => {
    const button = event.target.closest('button')
    if (button) ask(button.textContent)
  })
  byId('stop').addEventListener('click', stop)
}

async function connectionOrNotice() {
  const response = await fetch('/api/connection').catch(() => null)
  const connection = response?.ok ? await response.json() : null
  byId('ask-notice').textContent = connection ? '' : 'The assistant is not connected yet. Everything else works.'
  return connection
}

// A conversation is cut at a question, so that no answer stands without what it answers.
function recent(history) {
  const start = history.findIndex(({ role }, index) => role === 'user' && history.length - index <= MOST_MESSAGES)
  return start === -1 ? [] : history.slice(start)
}

function setBusy(isBusy) {
  byId('send').disabled = isBusy
  byId('send').hidden = isBusy
  byId('stop').hidden = !isBusy
  if (isBusy) byId('suggestions').hidden = true
}
