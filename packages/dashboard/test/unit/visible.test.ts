import { expect, test } from 'vitest'
import { visible } from '../../src/ui/visible.ts'

test('marks that turn or hide what stands around them are written out, and words and pictures stay', () => {
  expect(visible('a\u202eb\u2066c\u200bd\ufeff')).toBe('a\\u202eb\\u2066c\\u200bd\\ufeff')
  const plain = 'قیمت‌ها, 👩‍👧, naïve\n'
  expect(visible(plain)).toBe(plain)
})
