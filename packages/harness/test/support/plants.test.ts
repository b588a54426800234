import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { PLANTS as FAULT_PLANTS } from '../../src/fault/plants.ts'
import { FAULT_SCENARIOS } from '../../src/fault/scenarios.ts'
import { PLANTS as FUZZ_PLANTS } from '../../src/fuzz/plants.ts'
import { FUZZ_SCENARIOS } from '../../src/fuzz/scenarios.ts'
import { findingIn, uncheckedBy } from '../../src/support/planted/run-plants.ts'
import { applyEdit } from '../../src/support/server-copy.ts'

const PLANTS = [...FAULT_PLANTS, ...FUZZ_PLANTS]
const SERVER_FOLDER = fileURLToPath(new URL('../../../server/dist/', import.meta.url))

describe('planted bugs', () => {
  test('there are ten and more, each of another name', () => {
    expect(PLANTS.length).toBeGreaterThanOrEqual(10)
    expect(new Set(PLANTS.map(({ name }) => name)).size).toBe(PLANTS.length)
  })

  test('each names a scenario of its own program', () => {
    const strays = (plants: typeof FAULT_PLANTS, scenarios: typeof FAULT_SCENARIOS) =>
      plants.filter(({ foundBy }) => !scenarios.some(({ name }) => name === foundBy.scenario))
    expect([...strays(FAULT_PLANTS, FAULT_SCENARIOS), ...strays(FUZZ_PLANTS, FUZZ_SCENARIOS)]).toEqual([])
  })

  test.each(PLANTS.map((plant) => [plant.name, plant] as const))('%s has its place in the built server', (_, plant) => {
    for (const edit of plant.edits) {
      const text = readFileSync(`${SERVER_FOLDER}${edit.file}`, 'utf8')
      expect(applyEdit(text, edit)).not.toBe(text)
    }
  })
})

test('an edit whose place is missing or not the only one is refused', () => {
  const edit = { file: 'a.js', from: 'x', to: '$&y' }
  expect(applyEdit('a x b', edit)).toBe('a $&y b')
  expect(() => applyEdit('a b', edit)).toThrow('stands 0 times')
  expect(() => applyEdit('x x', edit)).toThrow('stands 2 times')
})

test('a bug is found by the check that is there for it, and not by another or by a scenario that broke off', () => {
  const foundBy = { scenario: 'kills', engine: 'sqlite', scale: 1, check: 'calls with' } as const
  const outcomeOf = (what: string, passed: boolean, passMark = '= 0') => [
    {
      scenario: 'kills',
      engine: null,
      checks: [{ what, measured: '2', passMark, passed }],
    },
  ]
  expect(findingIn(outcomeOf('calls with more than one effect', false), { foundBy })).toContain('more than one effect')
  expect(findingIn(outcomeOf('calls with more than one effect', true), { foundBy })).toBeNull()
  expect(findingIn(outcomeOf('kills', false), { foundBy })).toBeNull()
  expect(findingIn(outcomeOf('the scenario ran to its end', false, 'no error'), { foundBy })).toBeNull()
  const plant = { name: 'twice', foundBy }
  expect(uncheckedBy(outcomeOf('calls with more than one effect', true), [plant])).toEqual([])
  expect(uncheckedBy(outcomeOf('kills', true), [plant])).toEqual(['twice'])
  const elsewhere = { name: 'elsewhere', foundBy: { ...foundBy, scenario: 'pauses' } }
  expect(uncheckedBy(outcomeOf('kills', true), [elsewhere])).toEqual([])
})
