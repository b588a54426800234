import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareManifests } from '../../src/routes/runtimes/compare-manifests.ts'
import { diffLines } from '../../src/ui/diff-lines.ts'
import { foldLines } from '../../src/ui/fold-lines.ts'

describe('the difference of two texts', () => {
  test('is what was taken out and what was put in, with the rest around it', () => {
    expect(diffLines('a\nb\nc', 'a\nx\nc\nd').map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'same a',
      'removed b',
      'added x',
      'same c',
      'added d',
    ])
  })

  test('is shown with three lines around each change; what is equal between is folded', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`)
    const changed = lines.map((line, at) => (at === 9 ? 'another' : line))
    const parts = foldLines(diffLines(lines.join('\n'), changed.join('\n')))
    expect(parts.map(({ isFolded, at, lines: { length } }) => [isFolded, at, length])).toEqual([
      [true, 0, 6],
      [false, 6, 8],
      [true, 14, 7],
    ])
  })

  test('where there was nothing is what was put in alone', () => {
    expect(diffLines('', 'a\nb').map(({ kind }) => kind)).toEqual(['added', 'added'])
    expect(diffLines('a', '').map(({ kind }) => kind)).toEqual(['removed'])
  })

  test('leads from the one to the other, whatever they are', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const found = diffLines(before, after)
        const without = (left: string) =>
          found
            .filter(({ kind }) => kind !== left)
            .map((line) => line.text)
            .join('\n')
        expect([without('added'), without('removed')]).toEqual([before, after])
      }),
    )
  })

  test('of texts that are too large to compare is all of both', () => {
    const lines = (word: string) => Array.from({ length: 3_000 }, (_, number) => `${word} ${number}`).join('\n')
    expect(diffLines(lines('a'), lines('b'))).toHaveLength(6_000)
  })
})

describe('the difference of two manifests', () => {
  const capability = (name: string, description = '') => ({
    name,
    version: '1.0.0',
    description,
    requiresEndUser: false,
    actions: [],
  })
  const manifest = (...capabilities: ReturnType<typeof capability>[]) => ({ schemaVersion: 2 as const, capabilities })
  const told = (changes: ReturnType<typeof compareManifests>) =>
    changes.map(({ of, name, kind }) => `${of} ${name} ${kind}`)

  test('is by capability, and leaves out what is equal', () => {
    const before = manifest(capability('a'), capability('b'), capability('c'))
    const after = manifest(capability('c', 'changed'), capability('b'), capability('d'))
    expect(told(compareManifests(before, after))).toEqual([
      'capability a removed',
      'capability c changed',
      'capability d added',
    ])
  })

  test('names every other part that changed, first', () => {
    const before = { ...manifest(capability('a')), website: { name: 'Shop' }, agent: { instructions: 'Be brief.' } }
    const after = { ...manifest(), website: { name: 'The shop' }, adp: { namespace: 'com.example' } }
    expect(told(compareManifests(before, after))).toEqual([
      'setting adp added',
      'setting agent removed',
      'setting website changed',
      'capability a removed',
    ])
  })

  test('does not mind the order of fields', () => {
    const before = { ...manifest(capability('a')), website: { name: 'Shop', url: 'https://a.example' } }
    const after = { website: { url: 'https://a.example', name: 'Shop' }, ...manifest(capability('a')) }
    expect(compareManifests(before, after)).toEqual([])
  })
})
