import { expect, test } from 'vitest'
import { BoundedBuffer } from '../../src/dispatch/bounded-buffer.ts'

test('chunks come out as they went in, up to the very limit', () => {
  const buffer = new BoundedBuffer(10_000)
  const bytes = Buffer.from(Array.from({ length: 10_000 }, (_, index) => index % 251))
  for (let at = 0; at < bytes.length; at += 7) expect(buffer.append(bytes.subarray(at, at + 7))).toBe(true)
  expect(Buffer.compare(buffer.bytes(), bytes)).toBe(0)
  expect(buffer.append(Buffer.alloc(1))).toBe(false)
  expect(buffer.append(Buffer.alloc(0))).toBe(true)
  expect(buffer.bytes()).toHaveLength(10_000)
})

test('a first chunk over the limit is not kept', () => {
  const buffer = new BoundedBuffer(100)
  expect(buffer.append(Buffer.alloc(101))).toBe(false)
  expect(buffer.bytes()).toHaveLength(0)
})

test('a body in single bytes costs no more than twice its size', () => {
  const before = process.memoryUsage().arrayBuffers
  const buffer = new BoundedBuffer(1 << 20)
  const one = Buffer.from('x')
  for (let index = 0; index < 1 << 20; index += 1) buffer.append(one)
  expect(buffer.bytes()).toHaveLength(1 << 20)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 << 20)
})
