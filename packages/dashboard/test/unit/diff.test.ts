import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareManifests, parseManifest } from '../../src/routes/runtimes/compare-manifests.ts'
import { diffLines } from '../../src/ui/diff-lines.ts'

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
    description,
    endpoint: { address: `https://svc.test/${name}` },
  })

  test('is by capability, and leaves out what is equal', () => {
    const before = { capabilities: [capability('a'), capability('b'), capability('c')] }
    const after = { capabilities: [capability('c', 'changed'), capability('b'), capability('d')] }
    expect(compareManifests(before, after).map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'a removed',
      'c changed',
      'd added',
    ])
  })

  test('minds neither the order of fields nor the address', () => {
    const before = { capabilities: [{ name: 'a', version: '1.0.0', endpoint: { address: 'https://one.test' } }] }
    const after = { capabilities: [{ version: '1.0.0', endpoint: { address: 'https://two.test' }, name: 'a' }] }
    expect(compareManifests(before, after)).toEqual([])
  })

  test('files are read as a manifest or as a list of capabilities, and refused as anything else', () => {
    expect(parseManifest('{"capabilities":[{"name":"a"}]}')).toEqual({ capabilities: [{ name: 'a' }] })
    expect(parseManifest('[{"name":"a"}]')).toEqual({ capabilities: [{ name: 'a' }] })
    for (const text of ['', 'null', '3', '{}', '{"capabilities":{}}', '[{"title":"a"}]', '[null]', '{']) {
      expect([text, parseManifest(text)]).toEqual([text, null])
    }
  })
})
