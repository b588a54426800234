import { defineConfig, defineGenerator, type GeneratedFile, type Generator, type GeneratorContext } from '@svc/sdk'
import { expect, expectTypeOf, test } from 'vitest'

const apiKey = undefined

test('a generator in the configuration is given its types', () => {
  const config = defineConfig({
    apiKey,
    endpoint: 'https://shop.example.com/svc',
    website: { name: 'Shop', url: 'https://shop.example.com' },
    adp: { namespace: 'com.example.shop' },
    generators: {
      disabled: ['openapi'],
      custom: [
        {
          name: 'names',
          inputs: (context) => {
            expectTypeOf(context).toEqualTypeOf<GeneratorContext>()
            return context.capabilities.map(({ name }) => name)
          },
          generate: async ({ manifest }) => [{ path: 'count.txt', contents: String(manifest.capabilities.length) }],
        },
      ],
    },
  })
  expect(config.generators?.custom?.[0]?.name).toBe('names')
})

test('a generator defined elsewhere is given the same types, and is not changed', () => {
  const generator: Generator = {
    name: 'names',
    inputs: ({ capabilities }) => capabilities.length,
    generate: () => [],
  }
  expect(defineGenerator(generator)).toBe(generator)
  const inline = defineGenerator({
    name: 'names',
    inputs: ({ cliVersion }) => cliVersion,
    generate(context) {
      expectTypeOf(context).toEqualTypeOf<GeneratorContext>()
      return [{ path: 'runtime.txt', contents: context.runtimeId ?? 'unknown' }]
    },
  })
  expectTypeOf(inline.generate).returns.toEqualTypeOf<readonly GeneratedFile[] | Promise<readonly GeneratedFile[]>>()
  expect(defineConfig({ apiKey, generators: { custom: [inline] } }).generators?.custom).toEqual([inline])
})

test('what the configuration does not know is refused by its type', () => {
  // @ts-expect-error: the key is named, even where the environment does not hold it
  defineConfig({})
  // @ts-expect-error: the service chooses the model
  defineConfig({ apiKey, model: 'gpt' })
  // @ts-expect-error: the published address is always the control plane’s
  defineConfig({ apiKey, adp: { namespace: 'com.example', endpoint: 'https://shop.example.com' } })
  // @ts-expect-error: there is no such built-in generator
  defineConfig({ apiKey, generators: { disabled: ['adl'] } })
  // @ts-expect-error: generate is missing
  defineGenerator({ name: 'names', inputs: () => null })
  // @ts-expect-error: contents is missing
  const wrong: Generator = { name: 'names', inputs: () => null, generate: () => [{ path: 'a.txt' }] }
  expect(wrong.name).toBe('names')
})
