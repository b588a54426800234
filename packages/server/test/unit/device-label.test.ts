import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deviceLabel } from '../../src/accounts/device-label-rules.ts'

test.each([
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0 Safari/537.36', 'Chrome on macOS'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
    'Edge on Windows',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['curl/8.14.1', 'curl'],
  ['SomethingElse (Linux)', 'Linux'],
  ['lightMyRequest', null],
  ['', null],
  [undefined, null],
])('%s', (userAgent, label) => {
  expect(deviceLabel(userAgent)).toBe(label)
})

test('a label is one of few, whatever a client sends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (text) => {
      expect((deviceLabel(text) ?? '').length).toBeLessThan(40)
      expect(deviceLabel(text) ?? 'Linux').toMatch(/^[A-Za-z. ]+$/)
    }),
  )
})
