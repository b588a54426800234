import { describe, expect, test } from 'vitest'
import { commandsFor } from '../../src/routes/palette-commands.ts'

const known = {
  runtimes: [{ runtimeId: 'rt_shop', name: 'Mug shop' }],
  projects: [{ projectId: 'proj_1', name: 'Staging' }],
  mayChange: true,
}
const namesFor = (typed: string) => commandsFor(typed, known).map(({ name }) => name)

describe('the palette', () => {
  test('finds places by words in any order, and runtimes by their id', () => {
    expect(namesFor('keys mug')).toEqual(['Mug shop: Keys'])
    expect(namesFor('RT_SHOP')[0]).toBe('Mug shop')
    expect(namesFor('staging')).toEqual(['Staging'])
    expect(namesFor('nothing like it')).toEqual([])
  })

  test('offers the screens first, and the parts of a runtime once something is typed', () => {
    expect(namesFor('')[0]).toBe('Home')
    expect(namesFor('').filter((name) => name.startsWith('Mug shop'))).toEqual(['Mug shop'])
    expect(namesFor('mug')).toContain('Mug shop: Deployments')
  })

  test('leads from the id of an execution to its trace', () => {
    expect(commandsFor(' exec_01ABC ', known)).toEqual([
      {
        group: 'Execution',
        name: 'exec_01ABC',
        link: { to: '/executions/$executionId', params: { executionId: 'exec_01ABC' } },
      },
    ])
  })
})
