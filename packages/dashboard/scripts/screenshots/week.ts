import { expect } from 'vitest'
import type { Cast } from './stage.ts'

const QUESTIONS = [
  'Do you have a lantern for under 30 euros?',
  'When are you open?',
  'Show me a tent',
  'What would shipping to Norway cost?',
  'What kinds of things do you sell?',
  'Do you have a warm blanket?',
]

/** How many ask on each day, the oldest first, and for how many of them the model is busy. */
const DAYS = [
  { asked: 18, refused: 0 },
  { asked: 26, refused: 1 },
  { asked: 22, refused: 0 },
  { asked: 31, refused: 6 },
  { asked: 15, refused: 0 },
  { asked: 11, refused: 1 },
  { asked: 19, refused: 2 },
] as const

const MINUTE_MS = 60_000

/** A week of visitors, and of other people’s agents, some of whom ask for what there is not. */
export async function playWeek({ service, clock, runtime, setModelBusy }: Cast): Promise<void> {
  for (const [index, { asked, refused }] of DAYS.entries()) {
    clock.setDaysAgo(DAYS.length - 1 - index, -(asked + 3) * MINUTE_MS)
    for (let visitor = 0; visitor < asked; visitor += 1) {
      await service.renew()
      setModelBusy(visitor % 3 === 1 && visitor < refused * 3)
      await ask(QUESTIONS[visitor % QUESTIONS.length] ?? '')
      if (visitor % 7 === 3) await call('get-product', { product: 'Enamel Mug' })
      if (visitor % 13 === 5) await call('get-product', { product: 'Moon Boots' })
      clock.advance(MINUTE_MS)
    }
    setModelBusy(false)
  }
  clock.setDaysAgo(0, 0)
  await service.renew()

  async function ask(content: string): Promise<void> {
    const body = { messages: [{ role: 'user', parts: [{ type: 'text', content }] }] }
    const answer = await service.send('POST', '/v1/runtime/execute', { key: runtime.publicKey, body })
    expect(answer.statusCode).toBe(200)
  }

  async function call(capability: string, input: Record<string, unknown>): Promise<void> {
    const path = `/v1/capabilities/${runtime.runtimeId}/${capability}`
    const answer = await service.send('POST', path, { body: { input } })
    expect([200, 502]).toContain(answer.statusCode)
  }
}
