import { describe, expect, test } from 'vitest'
import { everyPage } from '../../src/api/every-page.ts'
import { parseSeen, withPublished } from '../../src/routes/runtimes/seen-deployments.ts'

const at = (day: number) => `2026-03-0${day}T12:00:00.000Z`

const manifest = (lastUpdated: string) => ({
  specVersion: '0.3.0',
  id: 'com.example.shop',
  name: 'Shop',
  provider: { name: 'Shop' },
  capabilities: [],
  discovery: { cacheTtlSeconds: 300 },
  lastUpdated,
})

describe('deployments that were seen', () => {
  test('are kept newest first, each once', () => {
    const first = withPublished([], { version: 1, deployedAt: at(1) }, manifest(at(1)))
    const second = withPublished(first, { version: 2, deployedAt: at(2) }, manifest(at(2)))
    const again = withPublished(second, { version: 2, deployedAt: at(2) }, manifest(at(2)))
    expect(again.map(({ version }) => version)).toEqual([2, 1])
  })

  test('a manifest of the deployment before is not taken for this one', () => {
    expect(withPublished([], { version: 2, deployedAt: at(2) }, manifest(at(1)))).toEqual([])
  })

  test('what was kept is read back, and what is in no form of ours is left out', () => {
    const kept = withPublished([], { version: 1, deployedAt: at(1) }, manifest(at(1)))
    expect(parseSeen(JSON.stringify(kept))).toEqual(kept)
    for (const text of ['', '{', 'null', '{}', '[null, 3, {}]', '[{"version":1,"deployedAt":"x","manifest":3}]']) {
      expect([text, parseSeen(text)]).toEqual([text, []])
    }
  })
})

describe('a listing', () => {
  test('is read to its last page', async () => {
    const asked: unknown[] = []
    const found = await everyPage(async (query) => {
      asked.push(query)
      const page = asked.length
      return { items: [page], nextCursor: page < 3 ? `after ${page}` : null }
    })
    expect(found).toEqual([1, 2, 3])
    expect(asked).toEqual([{ limit: 200 }, { limit: 200, cursor: 'after 1' }, { limit: 200, cursor: 'after 2' }])
  })

  test('that never ends is cut', async () => {
    const found = await everyPage(async () => ({ items: [1], nextCursor: 'more' }))
    expect(found).toHaveLength(25)
  })
})
