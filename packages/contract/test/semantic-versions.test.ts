import { SemVer } from '@svc/contract'
import { expect, test } from 'vitest'

const GOOD = [
  '0.0.0',
  '0.0.4',
  '1.2.3',
  '10.20.30',
  '1.1.2-prerelease+meta',
  '1.1.2+meta',
  '1.1.2+meta-valid',
  '1.0.0-alpha',
  '1.0.0-beta',
  '1.0.0-alpha.beta',
  '1.0.0-alpha.beta.1',
  '1.0.0-alpha.1',
  '1.0.0-alpha0.valid',
  '1.0.0-alpha.0valid',
  '1.0.0-alpha-a.b-c-somethinglong+build.1-aef.1-its-okay',
  '1.0.0-rc.1+build.1',
  '2.0.0-rc.1+build.123',
  '1.2.3-beta',
  '10.2.3-DEV-SNAPSHOT',
  '1.2.3-SNAPSHOT-123',
  '2.0.0+build.1848',
  '2.0.1-alpha.1227',
  '1.0.0-alpha+beta',
  '1.2.3----RC-SNAPSHOT.12.9.1--.12+788',
  '1.2.3----R-S.12.9.1--.12+meta',
  '1.0.0+0.build.1-rc.10000aaa-kk-0.1',
  '99999999999999999999999.999999999999999999.99999999999999999',
  '1.0.0-0A.is.legal',
  '1.0.0+001',
]

const BAD = [
  '',
  '1',
  '1.2',
  '1.2.3-0123',
  '1.2.3-0123.0123',
  '1.1.2+.123',
  '+invalid',
  '-invalid',
  '-invalid+invalid',
  '-invalid.01',
  'alpha',
  'alpha.beta.1',
  'alpha+beta',
  'alpha_beta',
  '1.0.0-alpha_beta',
  '-alpha.',
  '1.0.0-alpha..',
  '1.0.0-alpha..1',
  '01.1.1',
  '1.01.1',
  '1.1.01',
  '1.2.3.DEV',
  '1.2-SNAPSHOT',
  '1.2.31.2.3----RC-SNAPSHOT.12.09.1--..12+788',
  '1.2-RC-SNAPSHOT',
  '-1.0.3-gamma+b7718',
  '+justmeta',
  '9.8.7+meta+meta',
  '9.8.7-whatever+meta+meta',
  '1.0.0-',
  '1.0.0+',
  'v1.0.0',
  '=1.0.0',
  ' 1.0.0',
  '1.0.0 ',
  '1.0.0\n',
  '1.0.0\n2.0.0',
  '1.0.0-é',
  '1．0．0',
  '1.x.0',
  '^1.0.0',
  'latest',
]

test.each(GOOD)('%s is a version', (version) => {
  expect(SemVer.parse(version)).toBe(version)
})

// holds CAP-05
test.each(BAD)('%j is no version, and the message shows one', (version) => {
  expect(SemVer.safeParse(version).error?.issues[0]?.message).toContain('such as 1.0.0')
})

test('a version of more than 256 characters is refused, however long it is', () => {
  expect(SemVer.safeParse(`1.0.0-${'a'.repeat(250)}`).success).toBe(true)
  expect(SemVer.safeParse(`1.0.0-${'a'.repeat(251)}`).success).toBe(false)
  expect(SemVer.safeParse(`1.0.0-${'0a.'.repeat(300_000)}!`).success).toBe(false)
})
