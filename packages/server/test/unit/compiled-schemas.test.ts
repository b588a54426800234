import { expect, test } from 'vitest'
import { createCompiledSchemas } from '../../src/schemas/compiled.ts'

function schema(index: number): string {
  return JSON.stringify({ type: 'object', description: `${index}${'x'.repeat(60_000)}` })
}

test('a schema is compiled once for each owner', () => {
  const compiled = createCompiledSchemas()
  expect(compiled('a', schema(1))).toBe(compiled('a', schema(1)))
  expect(compiled('a', schema(1))).not.toBe(compiled('b', schema(1)))
})

test('one owner’s schemas push out their own, and no other owner’s', () => {
  const compiled = createCompiledSchemas()
  const [first, others] = [compiled('a', schema(0)), compiled('b', schema(0))]
  for (let index = 1; index < 40; index += 1) compiled('a', schema(index))
  expect(compiled('b', schema(0))).toBe(others)
  expect(compiled('a', schema(0))).not.toBe(first)
})

test('the schemas of many owners are bounded together', () => {
  const compiled = createCompiledSchemas()
  const first = compiled('owner-0', schema(0))
  for (let index = 1; index < 40; index += 1) compiled(`owner-${index}`, schema(0))
  expect(compiled('owner-0', schema(0))).not.toBe(first)
})
