import { SvcConfig } from '@svc/contract'
import { describeCapabilities, isRuntime } from '@svc/sdk'
import { expect, test } from 'vitest'
import runtime from '../.svc/runtime.ts'
import config from '../svc.config.ts'

test('the configuration lacks nothing but the deploy key from the environment', () => {
  const checked = SvcConfig.safeParse({ ...config, apiKey: undefined })
  expect(checked.error?.issues.map(({ path }) => path)).toEqual([['apiKey']])
})

test('the runtime module exports a runtime that can be described', () => {
  expect(isRuntime(runtime)).toBe(true)
  expect(describeCapabilities(runtime).map(({ name }) => name)).toEqual([
    'search-products',
    'get-product',
    'list-categories',
    'shipping-quote',
    'store-info',
    'view-cart',
    'add-to-cart',
    'place-order',
    'list-orders',
    'order-status',
  ])
})
