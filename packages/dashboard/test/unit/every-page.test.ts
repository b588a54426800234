import { describe, expect, test } from 'vitest'
import { everyPage } from '../../src/api/every-page.ts'

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
