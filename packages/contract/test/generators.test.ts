import { BUILT_IN_GENERATORS, fieldErrorsOf, type Generator, generatorProblem, SvcSettings } from '@svc/contract'
import { describe, expect, test } from 'vitest'

function generator(name: string): Generator {
  return { name, inputs: () => null, generate: () => [] }
}

function faultsOf(generators: unknown) {
  const parsed = SvcSettings.safeParse({ generators })
  return parsed.success ? {} : fieldErrorsOf(parsed.error)
}

describe('a custom generator', () => {
  test('is an object with name, inputs() and generate(), whatever else it holds', () => {
    const routes = { ...generator('routes'), note: 'ours' }
    const parsed = SvcSettings.parse({ generators: { custom: [routes] } })
    expect(parsed.generators?.custom?.[0]).toBe(routes)
  })

  test('may be an instance of a class, whose methods are on its prototype', () => {
    class Routes implements Generator {
      readonly name = 'routes'
      inputs(): unknown {
        return null
      }
      generate(): [] {
        return []
      }
    }
    expect(generatorProblem(new Routes())).toBeNull()
  })

  test.each<[unknown, string]>([
    [{}, 'is not a generator: name, inputs() and generate() are missing.'],
    [{ name: 'routes', inputs: () => null }, 'is not a generator: generate() is missing.'],
    [{ name: 7, inputs: () => null, generate: () => [] }, 'is not a generator: name is missing.'],
    [{ name: 'routes', inputs: [], generate: () => [] }, 'is not a generator: inputs() is missing.'],
    [() => [], 'is not a generator: it must be an object with name, inputs() and generate().'],
    [null, 'is not a generator: it must be an object with name, inputs() and generate().'],
  ])('of another shape is refused, and what is missing is named (%#)', (value, problem) => {
    expect(generatorProblem(value)).toBe(problem)
    expect(faultsOf({ custom: [generator('first'), value] })).toEqual({ 'generators.custom.1': [problem] })
  })

  test.each(['', '1st', '../up', 'with space', 'a'.repeat(65), 'snake_case'])(
    'is refused with the name “%s”, which could be no folder or no safe one',
    (name) => {
      const problem = `has the name “${name}”: a name is a letter, then up to 63 letters, digits or hyphens.`
      expect(faultsOf({ custom: [generator(name)] })).toEqual({ 'generators.custom.0': [problem] })
    },
  )
})

describe('names of generators', () => {
  const taken = (name: string, owner: string) =>
    `“${name}” is the name of ${owner} already: names must be unique, disabled generators included.`

  test.each(BUILT_IN_GENERATORS)('must not be that of the built-in %s, even where it is disabled', (name) => {
    expect(faultsOf({ disabled: [name], custom: [generator(name)] })).toEqual({
      'generators.custom.0.name': [taken(name, 'a built-in generator')],
    })
  })

  test('must differ by more than upper and lower case; each one that repeats another is named', () => {
    const custom = ['routes', 'Routes', 'Menu', 'ROUTES', 'ADP', 'menu'].map(generator)
    expect(faultsOf({ custom })).toEqual({
      'generators.custom.1.name': [taken('Routes', 'custom[0]')],
      'generators.custom.3.name': [taken('ROUTES', 'custom[0]')],
      'generators.custom.4.name': [taken('ADP', 'a built-in generator')],
      'generators.custom.5.name': [taken('menu', 'custom[2]')],
    })
  })

  test('are compared also where one of the list has no shape', () => {
    expect(Object.keys(faultsOf({ custom: [{}, generator('routes'), generator('routes')] }))).toEqual([
      'generators.custom.0',
      'generators.custom.2.name',
    ])
  })
})

describe('generators.disabled', () => {
  test('names built-in generators', () => {
    expect(faultsOf({ disabled: [...BUILT_IN_GENERATORS] })).toEqual({})
  })

  test('refuses any other name with those that there are', () => {
    expect(faultsOf({ disabled: ['adp', 'swagger', 7] })).toEqual({
      'generators.disabled.1': [
        '"swagger" is no built-in generator: there are capability-manifest, runtime-manifest, openapi, adp, test-types.',
      ],
      'generators.disabled.2': [
        '7 is no built-in generator: there are capability-manifest, runtime-manifest, openapi, adp, test-types.',
      ],
    })
  })
})

test('the block has no further fields', () => {
  expect(faultsOf({ enabled: [] })).toEqual({
    'generators.enabled': ['is not a known field. Remove it, or check its spelling.'],
  })
})
