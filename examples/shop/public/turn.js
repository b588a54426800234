import { element } from './element.js'

/** Adds a question to the conversation and shows the answer to it as its events arrive. */
export function startTurn(conversation, question) {
  const steps = element('ul', { className: 'steps' })
  const answer = element('p', { className: 'answer waiting' })
  const byCall = new Map()
  let isBreakDue = false
  conversation.append(element('p', { className: 'question', text: question }), steps, answer)
  conversation.scrollTop = conversation.scrollHeight

  function show(event) {
    const isAtEnd = conversation.scrollHeight - conversation.scrollTop - conversation.clientHeight < 80
    if (event.type === 'text') say(event.content)
    if (event.type === 'capability_start') startStep(event)
    if (event.type === 'capability_end') endStep(event)
    if (event.type === 'done') finish(event)
    if (isAtEnd) conversation.scrollTop = conversation.scrollHeight
  }

  function say(words) {
    if (isBreakDue && answer.textContent) answer.textContent += '\n\n'
    isBreakDue = false
    answer.textContent += words
  }

  function startStep({ callId, capability }) {
    const step = element('li', { className: 'running', text: `${spoken(capability)} …` })
    byCall.set(callId, step)
    steps.append(step)
    // What the assistant says before and after a step are two remarks.
    isBreakDue = true
  }

  function endStep({ callId, capability, error }) {
    const step = byCall.get(callId)
    if (!step) return
    step.className = error ? 'failed' : 'finished'
    step.textContent = error ? `${spoken(capability)}: ${error.message}` : spoken(capability)
  }

  function finish({ status, error }) {
    if (status === 'failed') return fail(error?.message ?? 'The assistant could not answer.')
    answer.classList.remove('waiting')
  }

  function fail(message) {
    answer.classList.remove('waiting')
    for (const step of byCall.values()) if (step.className === 'running') step.className = 'failed'
    conversation.append(element('p', { className: 'problem', text: message }))
    conversation.scrollTop = conversation.scrollHeight
  }

  return { show, fail }
}

function spoken(capability) {
  return capability.replaceAll('-', ' ')
}
