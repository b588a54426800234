import { expect, test } from 'vitest'
import type { HeldRequest } from '../../src/load/held-request.ts'
import { createLoadGate } from '../../src/load/load-gate.ts'
import type { LoadKind } from '../../src/load/shedding-rules.ts'
import { createTestClock } from '../support/clock.ts'

function gate({ running = 0 } = {}) {
  const clock = createTestClock()
  const targets = { waitMs: 50, minBound: 4, maxBound: 100 }
  const state = { running }
  const turnEnd = () => Promise.resolve()
  const load = createLoadGate({
    clock,
    turnEnd,
    processorMs: clock.now,
    activeMs: clock.now,
    targets,
    running: () => state.running,
    maxRunning: 10,
  })
  return { clock, load, state }
}

function taken(entered: HeldRequest | string): HeldRequest {
  if (typeof entered === 'string') throw new Error(`it was refused: ${entered}`)
  return entered
}

test('takes what it may hold, and again when somebody has left', () => {
  const { load } = gate()
  const held = Array.from({ length: 100 }, () => taken(load.enter('execute')))
  expect(load.enter('execute')).toBe('held')
  held[0]?.leave()
  held[0]?.leave()
  expect(load.held).toBe(99)
  taken(load.enter('execute'))
  expect(load.enter('execute')).toBe('held')
})

test('a burst is served whole; a standing crowd is brought down to what is handed on in time, and let in again later', () => {
  const { clock, load } = gate()
  const held = Array.from({ length: 100 }, () => taken(load.enter('execute')))
  // One every ten milliseconds: each of a hundred waits a second.
  for (const request of held.slice(0, 60)) {
    clock.advance(10)
    request.leave()
  }
  expect(load.bound).toBe(5)
  expect(load.enter('execute')).toBe('held')
  for (const request of held.slice(60)) request.leave()
  for (let step = 0; step < 30; step += 1) {
    clock.advance(100)
    taken(load.enter('execute')).leave()
  }
  expect(load.bound).toBe(100)
})

test('the bound comes back with time, whether or not somebody comes meanwhile', () => {
  const { clock, load } = gate()
  const held = Array.from({ length: 100 }, () => taken(load.enter('execute')))
  for (let window = 0; window < 2; window += 1) {
    clock.advance(100)
    expect(load.refuses('execute')).toBe('held')
  }
  expect(load.bound).toBe(4)
  for (const request of held) request.leave()
  clock.advance(3_600_000)
  for (let count = 0; count < 100; count += 1) taken(load.enter('execute'))
})

test('one stall lowers nothing, however many it made wait; a second in a row does, and later ones until it is over', () => {
  const { clock, load } = gate()
  const held = Array.from({ length: 60 }, () => taken(load.enter('execute')))
  clock.advance(150)
  expect([load.refuses('execute'), load.bound]).toEqual([null, 100])
  for (const request of held) request.leave()
  clock.advance(100)
  const waiting = Array.from({ length: 60 }, () => taken(load.enter('execute')))
  clock.advance(3_000)
  expect([load.refuses('execute'), load.bound]).toEqual([null, 100])
  clock.advance(100)
  expect([load.refuses('execute'), load.bound]).toEqual(['held', 4])
  for (const request of waiting) request.leave()
  clock.advance(1_000)
  for (let count = 0; count < 30; count += 1) taken(load.enter('execute'))
  clock.advance(100)
  expect([load.refuses('execute'), load.bound]).toEqual(['held', 4])
})

test('whoever is slow to send is not held meanwhile', () => {
  const { load } = gate()
  const slow = Array.from({ length: 100 }, () => taken(load.enter('execute')))
  for (const request of slow) request.pause()
  expect(load.held).toBe(0)
  taken(load.enter('execute')).leave()
  for (const request of slow) request.resume()
  expect(load.held).toBe(100)
  for (const request of slow) request.leave()
  expect(load.held).toBe(0)
})

test('whoever leaves while sending, or is resumed after leaving, is counted once', () => {
  const { load } = gate()
  const request = taken(load.enter('execute'))
  request.pause()
  request.leave()
  request.resume()
  request.leave()
  expect(load.held).toBe(0)
})

test('a flood of upkeep fills its own reserve and keeps nobody else out, nor do executes keep it out', () => {
  const { load } = gate()
  const upkeep = Array.from({ length: 25 }, () => taken(load.enter('upkeep')))
  expect([load.enter('upkeep'), load.held]).toEqual(['held', 25])
  const executes = Array.from({ length: 100 }, () => taken(load.enter('execute')))
  expect([load.enter('execute'), load.held]).toEqual(['held', 125])
  upkeep[0]?.leave()
  taken(load.enter('upkeep')).leave()
  expect(load.enter('execute')).toBe('held')
  for (const request of [...upkeep, ...executes]) request.leave()
  expect(load.held).toBe(0)
})

test('how quickly upkeep is handed on says nothing about how long executes wait', () => {
  const { clock, load } = gate()
  const held = Array.from({ length: 100 }, () => taken(load.enter('execute')))
  for (const request of held.slice(0, 60)) {
    clock.advance(10)
    request.leave()
    for (let count = 0; count < 20; count += 1) taken(load.enter('upkeep')).leave()
  }
  expect(load.bound).toBe(5)
})

test('executions under way are bounded for themselves, and keep nothing else out', () => {
  const { load, state } = gate({ running: 10 })
  expect(load.enter('execute')).toBe('running')
  expect(load.enter('broker')).toBe('running')
  for (const kind of ['listing', 'upkeep', 'health'] as const) taken(load.enter(kind)).leave()
  state.running = 9
  taken(load.enter('execute'))
})

test('while turns of the event loop are long, kinds are let in one after the other, and upkeep and health as ever', async () => {
  const { clock, load } = gate()
  for (let count = 0; count < 4; count += 1) taken(load.enter('execute')).leave()
  for (let turn = 0; turn < 25; turn += 1) {
    // Eight requests, which take ten milliseconds in one turn, and are over with it.
    const entered = Array.from({ length: 8 }, () => load.enter('execute'))
    clock.advance(10)
    for (const one of entered) if (typeof one !== 'string') one.end()
    await Promise.resolve()
  }
  const kinds = ['listing', 'broker', 'execute'] as const
  const refused = () => kinds.filter((kind) => load.refuses(kind) === 'paced')
  const steps = [refused()]
  for (let count = 0; count < 20 && load.refuses('execute') === null; count += 1) {
    taken(load.enter('execute')).end()
    steps.push(refused())
  }
  expect(new Set(steps.map((step) => step.join()))).toEqual(new Set(['', 'listing', 'listing,broker', kinds.join()]))
  for (const kind of ['upkeep', 'health'] as const) taken(load.enter(kind)).leave()
})

/** A gate that a flood has come to for so many turns. */
async function flooded(turns: number, kind: LoadKind) {
  const scene = gate()
  for (let turn = 0; turn < turns; turn += 1) await floodTurn(scene, kind)
  return scene
}

/** Lets in what it may of eight, in a turn of the event loop; each takes two milliseconds and is answered in that turn. */
async function floodTurn({ clock, load }: ReturnType<typeof gate>, kind: LoadKind): Promise<number> {
  let letIn = 0
  for (let count = 0; count < 8; count += 1) {
    const entered = load.enter(kind)
    clock.advance(typeof entered === 'string' ? 0.5 : 2)
    if (typeof entered === 'string') continue
    entered.end()
    letIn += 1
  }
  await Promise.resolve()
  return letIn
}

test('whoever is answered in the turn in which he came is one of a crowd, too', async () => {
  const scene = await flooded(50, 'execute')
  const letIn = new Set<number>()
  for (let turn = 0; turn < 50; turn += 1) letIn.add(await floodTurn(scene, 'execute'))
  // A few in each turn, and what the rate brings: fewer than are a crowd.
  expect([...letIn].filter((count) => count < 2 || count > 3)).toEqual([])
})

test('as many as are no crowd are let in, however long they make turns, after one turn of more', async () => {
  const { clock, load } = await flooded(1, 'execute')
  for (let turn = 0; turn < 50; turn += 1) {
    const entered = Array.from({ length: 3 }, () => taken(load.enter('execute')))
    clock.advance(10)
    for (const one of entered) one.end()
    await Promise.resolve()
  }
})

test('while turns are long, a few are let in all the same, though they stand among the executions under way, too', async () => {
  const { clock, load, state } = gate()
  const crowd = Array.from({ length: 4 }, () => taken(load.enter('broker')))
  for (const one of crowd) one.leave()
  for (let turn = 0; turn < 25; turn += 1) {
    load.refuses('broker')
    clock.advance(10)
    await Promise.resolve()
  }
  for (let count = 0; count < 20 && load.refuses('execute') === null; count += 1) taken(load.enter('execute')).end()
  expect(load.refuses('execute')).toBe('paced')
  for (const one of crowd) one.end()
  await Promise.resolve()
  // No time has passed: there is nothing for any of them but that they are few.
  for (let count = 0; count < 2; count += 1) {
    taken(load.enter('execute')).leave()
    state.running += 1
  }
  expect(load.refuses('execute')).toBe('paced')
})

test('a flood of upkeep is paced for itself, however quickly it is answered, and lets executes in as ever', async () => {
  const scene = await flooded(1, 'upkeep')
  for (let count = 0; count < 3; count += 1) taken(scene.load.enter('execute'))
  const letIn: number[] = []
  for (let turn = 0; turn < 100; turn += 1) {
    letIn.push(await floodTurn(scene, 'upkeep'))
    expect(scene.load.refuses('execute')).toBeNull()
  }
  expect(letIn[0]).toBe(8)
  // Of its few a quarter.
  expect(letIn.slice(50).filter((count) => count < 1 || count > 3)).toEqual([])
})

test('those who have been there for long are no crowd: while they keep turns long, others are let in as ever', async () => {
  const { clock, load } = gate()
  for (let count = 0; count < 50; count += 1) taken(load.enter('execute')).leave()
  clock.advance(1_000)
  taken(load.enter('listing')).end()
  clock.advance(1_000)
  taken(load.enter('listing')).end()
  for (let turn = 0; turn < 100; turn += 1) {
    const one = taken(load.enter('listing'))
    clock.advance(10)
    one.end()
    await Promise.resolve()
  }
})

test('streams that have begun are no crowd either, but those that wait for their first word are', async () => {
  const { clock, load } = gate()
  const open = async () => {
    for (let turn = 0; turn < 100; turn += 1) {
      const entered = Array.from({ length: 2 }, () => load.enter('execute'))
      clock.advance(10)
      for (const one of entered) {
        if (typeof one === 'string') continue
        one.leave()
        one.beginAnswer()
      }
      await Promise.resolve()
    }
    return load.refuses('listing')
  }
  expect(await open()).toBeNull()
  for (let count = 0; count < 4; count += 1) taken(load.enter('execute'))
  expect(await open()).toBe('paced')
})
