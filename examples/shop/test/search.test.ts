import { describe, expect, test } from 'vitest'
import { findProduct, listCategories, searchProducts } from '../src/store/products.ts'
import { searchExpressions } from '../src/store/search-words.ts'
import { openTestStore } from './support/test-store.ts'

const store = openTestStore()
const namesFor = (query: string) => searchProducts(store, { query }).map((product) => product.name)

describe('search', () => {
  test.each([
    ['lantern', ['Trail Lantern', 'Storm Lantern']],
    ['LANTERNS', ['Trail Lantern', 'Storm Lantern']],
    ['lanterns for camping', ['Trail Lantern']],
    ['camping lantern', ['Trail Lantern']],
    ['lantern camping', ['Trail Lantern']],
    ['headlamp', ['Night Owl Head Torch']],
    ['a sweater please', ['Fjord Wool Jumper']],
    ['rucksacks', ['Cairn 32 Backpack', 'Harbour Roll-Top Bag']],
    ['something for birds', ['Cedar Bird House']],
    ['knives', ['Alder Pocket Knife']],
    ['lanter', ['Trail Lantern', 'Storm Lantern']],
    ['do you have any socks in stock?', ['Hiker Socks']],
    ['keeps coffee hot', ['Thermal Flask']],
    ['raincoat', ['Drizzle Rain Jacket']],
  ])('“%s” finds exactly what is meant', (query, expected) => {
    expect(namesFor(query).toSorted()).toEqual(expected.toSorted())
  })

  test('a word in the name ranks before the same word in a description', () => {
    const found = namesFor('flask')
    expect(found[0]).toBe('Thermal Flask')
    const light = namesFor('light')
    expect(light.indexOf('Firefly String Lights')).toBe(0)
  })

  test('when no product has every word, those with some of the words are found', () => {
    expect(namesFor('purple unicorn candle')).toEqual(['Beeswax Pillar Candle'])
  })

  test('words that are nobody’s find nothing', () => {
    expect(namesFor('helicopter')).toEqual([])
  })

  test('a question that names nothing lists the whole shop', () => {
    expect(namesFor('show me something')).toHaveLength(namesFor('').length)
    expect(namesFor('').length).toBeGreaterThanOrEqual(36)
  })

  test('filters hold for every product found', () => {
    const found = searchProducts(store, { query: '', category: 'cooking', maxPriceCents: 3000, inStock: true })
    expect(found.map((product) => product.name)).toEqual(['Beech Cooking Spoon', 'Enamel Mug', 'Thermal Flask'])
    expect(searchProducts(store, { query: 'coffee dripper', inStock: true })).toEqual([])
  })

  test('a price limit does not bring in products that the words do not mean', () => {
    expect(searchProducts(store, { query: 'camping lantern', maxPriceCents: 1000 })).toEqual([])
  })

  test.each(['"', "'; DROP TABLE products; --", 'a AND OR NOT (', 'name : *', '* ^ -', '\u0000', '🙂'.repeat(50)])(
    'search syntax in a query is only text: %j',
    (query) => {
      expect(() => searchProducts(store, { query })).not.toThrow()
      expect(namesFor('lantern')).toHaveLength(2)
    },
  )

  test('an endless query is cut to a bounded expression', () => {
    const [allWords] = searchExpressions(Array.from({ length: 5000 }, (_, index) => `word${index}`).join(' '))
    expect(allWords?.split(' AND ')).toHaveLength(12)
  })
})

describe('finding one product', () => {
  test.each([
    ['Trail Lantern', 'LGT-201'],
    ['trail lantern', 'LGT-201'],
    ['  lgt-201 ', 'LGT-201'],
    ['the trail lanterns', 'LGT-201'],
    ['multi-tool', 'TOL-605'],
    ['headlamp', 'LGT-203'],
    ['tent', 'CMP-101'],
  ])('“%s” is %s', (wanted, sku) => {
    expect(findProduct(store, wanted).sku).toBe(sku)
  })

  test('a name that fits several products is answered with the choice', () => {
    expect(() => findProduct(store, 'lantern')).toThrow(
      '“lantern” could be “Storm Lantern” or “Trail Lantern”. Which one?',
    )
  })

  test('an unknown product is answered with what comes near', () => {
    expect(() => findProduct(store, 'velvet hammock')).toThrow(
      'We have no product called “velvet hammock”. Did you mean “Sunset Hammock”?',
    )
    expect(() => findProduct(store, 'helicopter')).toThrow('We have no product called “helicopter”.')
  })
})

test('every product lies in a category and the categories hold every product', () => {
  const categories = listCategories(store)
  expect(categories.map(({ category }) => category)).toContain('lighting')
  expect(categories.reduce((sum, { products }) => sum + products, 0)).toBe(namesFor('').length)
})
