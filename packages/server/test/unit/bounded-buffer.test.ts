import { expect, test } from 'vitest'
import { BoundedBuffer } from '../../src/lib/bounded-buffer.ts'

test.each([
  [10_000, 7],
  [300_000, 4_096],
  [300_000, 299_999],
])('%i bytes in chunks of %i come out unchanged, up to the limit', (limit, size) => {
  const buffer = new BoundedBuffer(limit)
  const bytes = Buffer.from(Array.from({ length: limit }, (_, index) => index % 251))
  for (let at = 0; at < limit; at += size) expect(buffer.append(bytes.subarray(at, at + size))).toBe(true)
  expect(Buffer.compare(buffer.bytes(), bytes)).toBe(0)
  expect(buffer.append(Buffer.alloc(1))).toBe(false)
  expect(buffer.append(Buffer.alloc(0))).toBe(true)
  expect(Buffer.compare(buffer.bytes(), bytes)).toBe(0)
})

test('a first chunk over the limit is not kept', () => {
  const buffer = new BoundedBuffer(100)
  expect(buffer.append(Buffer.alloc(101))).toBe(false)
  expect(buffer.bytes()).toHaveLength(0)
})

test('full buffers are not copied again while chunks are appended', () => {
  const buffer = new BoundedBuffer(1 << 20)
  const chunk = Buffer.alloc(4_096)
  const before = process.memoryUsage().arrayBuffers
  for (let index = 0; index < 256; index += 1) buffer.append(chunk)
  // Discarded buffers count, too: nothing is collected in between.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1.25 * 2 ** 20)
  expect(buffer.bytes()).toHaveLength(1 << 20)
})

test('a body in single bytes takes at most twice its size', () => {
  const before = process.memoryUsage().arrayBuffers
  const buffer = new BoundedBuffer(1 << 20)
  const one = Buffer.from('x')
  for (let index = 0; index < 1 << 20; index += 1) buffer.append(one)
  expect(buffer.bytes()).toHaveLength(1 << 20)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 << 20)
})

test('a body in one chunk of the announced length is not copied; one in several is', () => {
  const whole = Buffer.from('{"a":1}')
  const inOne = new BoundedBuffer(100, whole.length)
  expect(inOne.append(whole)).toBe(true)
  expect(inOne.bytes()).toBe(whole)
  const inTwo = new BoundedBuffer(100, whole.length)
  const first = Buffer.from(whole.subarray(0, 3))
  for (const chunk of [first, whole.subarray(3)]) expect(inTwo.append(chunk)).toBe(true)
  first.fill(0)
  expect(inTwo.bytes().toString()).toBe('{"a":1}')
})
