import type { JsonObject } from '@svc/contract'
import { eventsOfTurn } from '@svc/testkit'

/** Of a search in a shop: eight fields of the usual kinds. */
const INPUT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    query: { type: 'string', minLength: 1, maxLength: 200 },
    category: { type: 'string', enum: ['garden', 'kitchen', 'tools', 'light'] },
    priceFrom: { type: 'number', minimum: 0 },
    priceTo: { type: 'number', minimum: 0 },
    inStock: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string', maxLength: 40 }, maxItems: 8 },
    sort: { type: 'string', pattern: '^(price|name|newest)$' },
    limit: { type: 'integer', minimum: 1, maximum: 50 },
  },
  required: ['query'],
  additionalProperties: false,
}

export const CAPABILITY = 'search'

export const MANIFEST = {
  capabilities: [
    {
      name: CAPABILITY,
      version: '1.0.0',
      description: 'Finds products of the shop.',
      actions: [{ name: CAPABILITY, inputSchema: INPUT_SCHEMA }],
    },
  ],
}

/** The input of a broker call. */
export const BROKER_INPUT: JsonObject = {
  query: 'green garden hose, 20 metres, half an inch, with a spray nozzle and a wall bracket',
  category: 'garden',
  priceFrom: 12.5,
  priceTo: 80,
  inStock: true,
  tags: ['balcony', 'watering', 'frost-proof', 'wall-mounted'],
  sort: 'price',
  limit: 10,
}

/** An anonymous caller's request to the broker: about 500 bytes. */
export const BROKER_BODY = JSON.stringify({
  input: BROKER_INPUT,
  metadata: {
    page: '/garden/watering/hoses?view=list',
    referrer: 'https://shop.example.com/garden',
    session: 'b7d0a6de-3a52-4a8c-9d3e-5f0b7c7f21aa',
    locale: 'en-GB',
    experiment: 'search-ranking-7b',
  },
})

export const ENDPOINT_BODY = JSON.stringify({
  output: {
    items: [
      { id: 'p1', title: 'Hose 20 m', price: 39.9 },
      { id: 'p2', title: 'Nozzle', price: 12.9 },
    ],
    total: 2,
  },
})

const QUESTION =
  'Good morning! I am looking for a green garden hose of about twenty metres, half an inch wide, with a spray nozzle and a bracket for the wall of my balcony. It should not be harmed by frost, and cost no more than eighty. Which of yours would you take, do you have it in stock, and how long would it take to reach me in the north of Scotland? Thank you very much in advance for your trouble.'

export const EXECUTE_BODY = JSON.stringify({
  messages: [{ role: 'user', parts: [{ type: 'text', content: QUESTION }] }],
})

/** The same question to a gateway of model providers. */
export const CHAT_BODY = JSON.stringify({ model: 'fake', messages: [{ role: 'user', content: QUESTION }] })

const WORDS = ['The ', 'Hose ', '20 m ', 'is in stock and would reach you ', 'on Thursday.']
const CHUNK = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'fake' }
const USAGE = { prompt_tokens: 96, completion_tokens: 18, total_tokens: 114 }

/** The model's answer as a stream, in one piece on the wire. */
export const MODEL_STREAM = eventsOfTurn({ text: WORDS, usage: { inputTokens: 96, outputTokens: 18 } }, 'fake').join('')

/** The same answer in one body. */
export const MODEL_ANSWER = JSON.stringify({
  ...CHUNK,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: WORDS.join('') }, finish_reason: 'stop' }],
  usage: USAGE,
})

/** Something that each of the answers above holds. */
export const IN_OUTPUT = 'Hose 20 m'
export const IN_ANSWER = 'would reach you'
