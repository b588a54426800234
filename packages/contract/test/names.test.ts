import { capabilityNameProblem, Namespace, namespaceProblem, repairCapabilityName } from '@svc/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const NAME = /^[A-Za-z][A-Za-z0-9-]{0,63}$/

describe('capability names', () => {
  test.each(['a', 'Z', 'order-status', 'listOrders2', 'x-', 'a--b', 'constructor', 'a'.repeat(64)])(
    'accepts %s',
    (name) => {
      expect(capabilityNameProblem(name)).toBeNull()
    },
  )

  test.each([
    ['order.status', '.', 'order-status'],
    ['order status', ' ', 'order-status'],
    ['order_status', '_', 'order-status'],
    ['order/status', '/', 'order-status'],
    ['café', 'é', 'cafe'],
    ['Straße', 'ß', 'Stra-e'],
    ['naïve-Ångström', 'ï', 'naive-Angstrom'],
    ['say😀hi', '😀', 'say-hi'],
    ['order:status!', ':', 'order-status'],
    ['a\u0000b', '\u0000', 'a-b'],
    ['tab\tname', '\t', 'tab-name'],
    [' padded ', ' ', 'padded'],
  ])('refuses %j, names the offending %j and offers %j', (name, offending, repaired) => {
    const problem = capabilityNameProblem(name)
    expect(problem).toContain(offending === '.' ? 'it contains a dot' : `the character “${offending}”`)
    expect(problem).toContain(`Try “${repaired}”.`)
    expect(repairCapabilityName(name)).toBe(repaired)
  })

  test.each(['svc-probe', 'SVC-Probe'])('refuses %s, which is reserved', (name) => {
    expect(capabilityNameProblem(name)).toContain('is reserved')
  })

  test.each([
    ['1st', 'must start with a letter, not with “1”', 'st'],
    ['-order', 'must start with a letter, not with “-”', 'order'],
    ['a'.repeat(65), 'it has 65 characters', 'a'.repeat(64)],
    [`${'a'.repeat(63)}-b`, 'it has 65 characters', 'a'.repeat(63)],
  ])('refuses %j and says why', (name, reason, repaired) => {
    expect(capabilityNameProblem(name)).toContain(reason)
    expect(repairCapabilityName(name)).toBe(repaired)
  })

  test.each(['', '123', '...', '---', '日本語', '😀'])(
    'offers nothing for %j, of which nothing can be kept',
    (name) => {
      expect(repairCapabilityName(name)).toBeNull()
      expect(capabilityNameProblem(name)).not.toContain('Try')
    },
  )

  test('an empty name is called empty', () => {
    expect(capabilityNameProblem('')).toContain('it is empty')
  })

  // holds CAP-01
  test('a name is refused exactly when it breaks the rule, and every repaired name is valid and stays as it is', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'aZ9-._ /é😀'), maxLength: 80 }),
      fc.stringMatching(NAME),
    )
    fc.assert(
      fc.property(name, (text) => {
        expect(capabilityNameProblem(text) === null).toBe(NAME.test(text))
        const repaired = repairCapabilityName(text)
        if (repaired === null) return
        expect(capabilityNameProblem(repaired)).toBeNull()
        expect(repairCapabilityName(repaired)).toBe(repaired)
      }),
      { numRuns: 1000, seed: 1 },
    )
  })

  // holds CAP-02
  test('every refused character is named in the message', () => {
    const refused = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 1 })
      .filter((character) => !/[A-Za-z0-9.-]/.test(character))
    fc.assert(
      fc.property(refused, (character) => {
        expect(capabilityNameProblem(`ab${character}c`)).toContain(`the character “${character}” is not allowed`)
      }),
      { numRuns: 500, seed: 2 },
    )
  })

  test('a name of a megabyte is refused in a short sentence', () => {
    expect(capabilityNameProblem('x.'.repeat(500_000))?.length).toBeLessThan(300)
  })
})

describe('namespaces', () => {
  test.each(['com.example', 'com.example.shop', 'Com.Example', 'a.b', 'com.my-shop.x9', `a.${'b'.repeat(64)}`])(
    'accepts %s',
    (namespace) => {
      expect(namespaceProblem(namespace)).toBeNull()
      expect(Namespace.safeParse(namespace).success).toBe(true)
    },
  )

  test.each([
    ['com.3m', '“3m”'],
    ['com..shop', '“”'],
    ['.com.shop', '“”'],
    ['com.shop.', '“”'],
    ['com.my_shop', '“my_shop”'],
    ['com.exämple', '“exämple”'],
    ['com.example.shop/x', '“shop/x”'],
    [`com.${'b'.repeat(65)}`, 'at most 63'],
    ['', '“”'],
    ['192.168.0.1', '“192”'],
  ])('refuses %j and names the segment %s', (namespace, segment) => {
    expect(namespaceProblem(namespace)).toContain(segment)
  })

  test('a single segment is refused with an example made of it', () => {
    expect(namespaceProblem('localhost')).toContain('“com.example.localhost”')
  })

  // holds DEP-14
  test('exactly the dotted sequences of two or more segments are namespaces', () => {
    const segment = fc.oneof(fc.stringMatching(NAME), fc.constantFrom('', '9a', 'a_b', 'a b'))
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
        const isValid = segments.length >= 2 && segments.every((each) => NAME.test(each))
        expect(namespaceProblem(segments.join('.')) === null).toBe(isValid)
      }),
      { numRuns: 500, seed: 3 },
    )
  })
})
